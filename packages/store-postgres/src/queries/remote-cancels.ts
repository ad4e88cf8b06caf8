import type { RemoteCancel, RemoteCancelReads, RemoteCancelStore } from '@baton/engine/ports';
import { type Statement, statement } from '../commit/statement.ts';
import type { Database } from '../database/database.ts';

/** The cancels that other hosts have to be told. */

const SELECT = `
  SELECT run_id AS "runId", peer, task, named_by AS "namedBy", created_at AS at FROM remote_cancels`;

export function remoteCancelReads(database: Database): RemoteCancelReads {
  return {
    remoteCancel: (runId) => database.row<RemoteCancel>(`${SELECT} WHERE run_id = $1`, runId),
    remoteCancels: (after = '', limit) =>
      database.rows<RemoteCancel>(`${SELECT} WHERE run_id > $1 ORDER BY run_id LIMIT $2`, after, limit),
  };
}

/** Adds the cancels of a group of slices inside their transaction. One replaces an earlier one of its run. */
export function addRemoteCancels(cancels: readonly RemoteCancel[]): readonly Statement[] {
  if (cancels.length === 0) return [];
  const last = new Map(cancels.map((cancel) => [cancel.runId, cancel]));
  return [statement(ADD, JSON.stringify([...last.values()]))];
}

export function remoteCancelWriter(database: Database): RemoteCancelStore {
  return {
    settleRemoteCancel: async ({ runId, task, namedBy }) =>
      (await database.run(SETTLE, runId, task, namedBy)) > 0,
  };
}

const ADD = `
  INSERT INTO remote_cancels (run_id, peer, task, named_by, created_at)
  SELECT "runId", peer, task, "namedBy", at
  FROM json_to_recordset($1::json) AS given ("runId" text, peer text, task text, "namedBy" text, at bigint)
  ORDER BY "runId" COLLATE "C"
  ON CONFLICT (run_id) DO UPDATE
  SET peer = excluded.peer, task = excluded.task, named_by = excluded.named_by, created_at = excluded.created_at`;

const SETTLE = 'DELETE FROM remote_cancels WHERE run_id = $1 AND task = $2 AND named_by = $3';
