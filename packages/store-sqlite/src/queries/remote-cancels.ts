import type { RemoteCancel, RemoteCancelReads, RemoteCancelStore } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { written } from '../database/storage-full.ts';

/** The cancels that other hosts have to be told. */

const SELECT = `
  SELECT run_id AS runId, peer, task, named_by AS namedBy, created_at AS at FROM remote_cancels`;

export function remoteCancelReads(database: Database): RemoteCancelReads {
  const one = database.prepare<RemoteCancel>(`${SELECT} WHERE run_id = ?`);
  const page = database.prepare<RemoteCancel>(`${SELECT} WHERE run_id > ? ORDER BY run_id LIMIT ?`);
  return {
    remoteCancel: async (runId) => one.get(runId),
    remoteCancels: async (after = '', limit) => page.all(after, limit),
  };
}

/** Adds a cancel inside the transaction of its slice. */
export function remoteCancelAdder(database: Database): (cancel: RemoteCancel) => void {
  const add = database.prepare(
    'INSERT OR REPLACE INTO remote_cancels (run_id, peer, task, named_by, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  return ({ runId, peer, task, namedBy, at }) => void add.run(runId, peer, task, namedBy, at);
}

export function remoteCancelWriter(database: Database): RemoteCancelStore {
  const remove = database.prepare(
    'DELETE FROM remote_cancels WHERE run_id = ? AND task = ? AND named_by = ?',
  );
  return {
    settleRemoteCancel: async ({ runId, task, namedBy }) => written(() => remove.run(runId, task, namedBy)),
  };
}
