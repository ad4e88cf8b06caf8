import type { EventColumns, IdempotencyRecord, LateOutcome, SavedState } from '@baton/engine/ports';
import { type Statement, writing } from './statement.ts';

/** The rows that a batch only adds, each table by one statement. */

export function writeEvents(events: readonly EventColumns[]): readonly Statement[] {
  return writing(ADD_EVENTS, events, ({ bigint, integer, text, boolean }) => [
    bigint('run', ({ runNo }) => runNo),
    bigint('sequence', ({ sequence }) => sequence),
    bigint('place', ({ place }) => place),
    integer('rest of a step', ({ stepRest }) => stepRest),
    boolean(({ starts }) => (starts === null ? null : starts === 1)),
    text('event', ({ data }) => data),
  ]);
}

/** Counts the bytes of appended events by tenant. */
export function writeUsage(bytesByTenant: ReadonlyMap<string, number>): readonly Statement[] {
  return writing(COUNT_BYTES, [...bytesByTenant], ({ bigint, text }) => [
    text('tenant', ([tenant]) => tenant),
    bigint('bytes', ([, bytes]) => bytes),
  ]);
}

export function writeLateOutcomes(outcomes: readonly LateOutcome[]): readonly Statement[] {
  return writing(KEEP_OUTCOMES, outcomes, ({ bigint, text }) => [
    text('key of an effect', ({ key }) => key),
    text('run', ({ runId }) => runId),
    text('outcome', ({ outcome }) => JSON.stringify(outcome)),
    bigint('time of an outcome', ({ at }) => at),
  ]);
}

/** Stores the replies of a batch. A key that has a reply keeps it, and the batch is outdated. */
export function writeReplies(replies: readonly IdempotencyRecord[]): readonly Statement[] {
  const statements = writing(KEEP_REPLIES, replies, ({ bigint, text }) => [
    text('tenant', ({ tenant }) => tenant),
    text('principal', ({ principal }) => principal),
    text('key', ({ key }) => key),
    text('request', ({ request }) => request),
    text('reply', ({ reply }) => reply),
    bigint('time of a reply', ({ at }) => at),
  ]);
  return statements.map((statement) => ({ ...statement, rows: replies.length }));
}

/** A later saved state takes the place of an earlier one. */
export function writeSavedStates(saved: readonly NumberedState[]): readonly Statement[] {
  const last = new Map(saved.map((one) => [`${one.runNo}:${one.sequence}`, one]));
  return writing(SAVE_STATES, [...last.values()], ({ bigint, text }) => [
    bigint('run', ({ runNo }) => runNo),
    bigint('sequence of a saved state', ({ sequence }) => sequence),
    bigint('version of a saved state', ({ foldVersion }) => foldVersion),
    text('saved state', ({ state }) => state),
    text('chain', ({ chain }) => chain ?? null),
  ]);
}

export type NumberedState = SavedState & { readonly runNo: number };

const ADD_EVENTS = `
  INSERT INTO events (run_no, seq, place, step_rest, starts, data)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::boolean[], $6::text[])`;

/** `count_bytes` waits for no other transaction, so the order of the tenants does not matter. */
const COUNT_BYTES =
  'SELECT count_bytes(tenant, bytes) FROM unnest($1::text[], $2::bigint[]) AS given (tenant, bytes)';

/** A repeated call may report an outcome twice. The first outcome is kept. */
const KEEP_OUTCOMES = `
  INSERT INTO late_outcomes (key, run_id, outcome, at)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS given (key, run_id, outcome, at)
  ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO NOTHING`;

/** If another host is about to store a reply to the same key, this waits for the end of its transaction. */
const KEEP_REPLIES = `
  INSERT INTO replies (tenant, principal, key, request, reply, at)
  SELECT tenant, principal, key, request, reply, at
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
    AS given (tenant, principal, key, request, reply, at)
  ORDER BY tenant COLLATE "C", key COLLATE "C", principal COLLATE "C"
  ON CONFLICT (tenant, key, principal) DO NOTHING
  RETURNING 1`;

const SAVE_STATES = `
  INSERT INTO checkpoints (run_no, seq, fold_version, state, chain)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])
  ON CONFLICT (run_no, seq) DO UPDATE
  SET fold_version = excluded.fold_version, state = excluded.state, chain = excluded.chain`;
