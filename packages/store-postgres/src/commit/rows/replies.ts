import type { IdempotencyRecord } from '@baton/engine/ports';
import { columnsOf } from '../../database/columns.ts';
import type { Statement } from '../statement.ts';

/** Stores the replies of a batch. A key that has a reply keeps it, and the batch is outdated. */
export function writeReplies(replies: readonly IdempotencyRecord[]): readonly Statement[] {
  if (replies.length === 0) return [];
  const { bigint, text } = columnsOf(replies);
  const values = [
    text('tenant', ({ tenant }) => tenant),
    text('principal', ({ principal }) => principal),
    text('key', ({ key }) => key),
    text('request', ({ request }) => request),
    text('reply', ({ reply }) => reply),
    bigint('time of a reply', ({ at }) => at),
  ];
  return [{ sql: REMEMBER, values, rows: replies.length }];
}

/** If another host is about to store a reply to the same key, this waits for the end of its transaction. */
const REMEMBER = `
  INSERT INTO replies (tenant, principal, key, request, reply, at)
  SELECT tenant, principal, key, request, reply, at
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
    AS given (tenant, principal, key, request, reply, at)
  ORDER BY tenant COLLATE "C", key COLLATE "C", principal COLLATE "C"
  ON CONFLICT (tenant, key, principal) DO NOTHING
  RETURNING 1`;
