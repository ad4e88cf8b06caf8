import type { IdempotencyRecord, ReplyReads } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { writeFailure } from '../database/storage-full.ts';
import { turnOfOthers } from '../database/transaction.ts';

/** So few that a batch does not delay commits noticeably. */
const PRUNED_AT_ONCE = 1000;

/** Stores a reply. Returns false if the key already has a reply, which is kept. */
export function replyWriter(database: Database): (record: IdempotencyRecord) => boolean {
  const remember = database.prepare(
    `INSERT INTO replies (tenant, principal, key, request, reply, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant, key, principal) DO NOTHING`,
  );
  return ({ tenant, principal, key, request, reply, at }) =>
    remember.run(tenant, principal, key, request, reply, at).changes === 1;
}

export function replyLookup(database: Database): ReplyReads['replyFor'] {
  const find = database.prepare<IdempotencyRecord>(
    `SELECT tenant, principal, key, request, reply, at FROM replies WHERE tenant = ? AND key = ? AND principal = ?`,
  );
  return async (tenant, principal, key) => find.get(tenant, key, principal);
}

/** Deletes old replies in batches, so that commits and reads can happen between the batches. */
export function replyPruner(database: Database): (before: number) => Promise<void> {
  const prune = database.prepare(
    'DELETE FROM replies WHERE rowid IN (SELECT rowid FROM replies WHERE at < ? ORDER BY at LIMIT ?)',
  );
  const pruneSome = (before: number): number => {
    try {
      return prune.run(before, PRUNED_AT_ONCE).changes;
    } catch (error) {
      throw writeFailure(error);
    }
  };
  return async (before) => {
    while (pruneSome(before) === PRUNED_AT_ONCE) await turnOfOthers();
  };
}
