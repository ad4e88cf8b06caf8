import type { IdempotencyRecord, ReplyReads } from '@baton/engine/ports';
import type { Database, Queries } from '../database/database.ts';

/** So few that a batch does not delay commits noticeably. */
const PRUNED_AT_ONCE = 1000;

/** Stores a reply, unless the key has one. The replies of slices are stored with the slices (reply-writer.ts). */
export async function rememberReply(queries: Queries, record: IdempotencyRecord): Promise<void> {
  const { tenant, principal, key, request, reply, at } = record;
  await queries.run(REMEMBER, tenant, principal, key, request, reply, at);
}

export function replyLookup(database: Database): ReplyReads['replyFor'] {
  return (tenant, principal, key) => database.row<IdempotencyRecord>(FIND, tenant, key, principal);
}

/** Deletes old replies in batches. What another host is deleting is left to it. */
export function replyPruner(database: Database): (before: number) => Promise<void> {
  return async (before) => {
    while ((await database.run(PRUNE, before)) === PRUNED_AT_ONCE);
  };
}

const REMEMBER = `
  INSERT INTO replies (tenant, principal, key, request, reply, at) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (tenant, key, principal) DO NOTHING`;

const FIND = `
  SELECT tenant, principal, key, request, reply, at FROM replies WHERE tenant = $1 AND key = $2 AND principal = $3`;

/** The places of rows that are locked do not change. So the table is not searched for them, whatever its size is. */
const PRUNE = `
  DELETE FROM replies WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM replies WHERE at < $1 ORDER BY at LIMIT ${PRUNED_AT_ONCE} FOR UPDATE SKIP LOCKED))`;
