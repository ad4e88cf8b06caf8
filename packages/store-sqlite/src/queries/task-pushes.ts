import {
  type Columns,
  present,
  type TaskPush,
  type TaskPushReads,
  type TaskPushStore,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { written } from '../database/storage-full.ts';
import { atomically, transaction } from '../database/transaction.ts';

/** The pushes of A2A tasks. */

const SELECT = `
  SELECT tenant, run_id AS runId, push_id AS pushId, url, credentials, version, created_at AS createdAt, told, tries,
    failing_since AS failingSince, next_at AS nextAt
  FROM task_pushes`;

const ORDER = 'ORDER BY tenant, run_id, push_id';

export function taskPushReads(database: Database): TaskPushReads {
  const ofTask = database.prepare<Columns<TaskPush>>(`${SELECT} WHERE tenant = ? AND run_id = ? ${ORDER}`);
  const after = database.prepare<Columns<TaskPush>>(
    `${SELECT} WHERE (tenant, run_id, push_id) > (?, ?, ?) ${ORDER} LIMIT ?`,
  );
  return {
    taskPushes: async (tenant, runId) => ofTask.all(tenant, runId).map((row) => present<TaskPush>(row)),
    everyTaskPush: async (place, limit) => {
      const { tenant, runId, pushId } = place ?? { tenant: '', runId: '', pushId: '' };
      return after.all(tenant, runId, pushId, limit).map((row) => present<TaskPush>(row));
    },
  };
}

export function taskPushWriter(database: Database): TaskPushStore {
  const own = transaction(database);
  const others = database.prepare<{ readonly count: number }>(
    'SELECT count(*) AS count FROM task_pushes WHERE tenant = ? AND run_id = ? AND push_id <> ?',
  );
  const put = database.prepare(PUT);
  const settle = database.prepare(
    `UPDATE task_pushes SET told = ?, tries = ?, failing_since = ?, next_at = ? ${AT_PLACE}`,
  );
  const remove = database.prepare(`DELETE FROM task_pushes ${AT_PLACE}`);
  const rewrap = database.prepare(`UPDATE task_pushes SET credentials = ? ${AT_PLACE} AND credentials = ?`);
  return {
    putTaskPush: async (push, most) =>
      atomically(own, () => {
        const { tenant, runId, pushId, url, credentials, version, createdAt, tries } = push;
        if ((others.get(tenant, runId, pushId)?.count ?? 0) >= most) return false;
        put.run(tenant, runId, pushId, url, credentials, version, createdAt, push.told ?? null, tries);
        return true;
      }),
    settleTaskPush: async ({ tenant, runId, pushId }, { told, tries, failingSince, nextAt }) =>
      written(() =>
        settle.run(told ?? null, tries, failingSince ?? null, nextAt ?? null, tenant, runId, pushId),
      ),
    deleteTaskPush: async ({ tenant, runId, pushId }) => written(() => remove.run(tenant, runId, pushId)),
    rewrapTaskPushes: async (pushes) =>
      atomically(own, () =>
        pushes.reduce(
          (count, { tenant, runId, pushId, from, to }) =>
            count + rewrap.run(to, tenant, runId, pushId, from).changes,
          0,
        ),
      ),
  };
}

const AT_PLACE = 'WHERE tenant = ? AND run_id = ? AND push_id = ?';

const PUT = `
  INSERT OR REPLACE INTO task_pushes (tenant, run_id, push_id, url, credentials, version, created_at, told, tries)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
