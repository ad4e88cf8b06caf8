import type { TaskPush, TaskPushReads, TaskPushStore } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { writeFailure } from '../database/storage-full.ts';
import { atomically, transaction } from '../database/transaction.ts';

/** The pushes of A2A tasks. */

interface PushColumns extends Omit<TaskPush, 'told' | 'failingSince' | 'nextAt'> {
  readonly told: string | null;
  readonly failingSince: number | null;
  readonly nextAt: number | null;
}

const SELECT = `
  SELECT tenant, run_id AS runId, push_id AS pushId, url, credentials, version, created_at AS createdAt, told, tries,
    failing_since AS failingSince, next_at AS nextAt
  FROM task_pushes`;

const ORDER = 'ORDER BY tenant, run_id, push_id';

export function taskPushReads(database: Database): TaskPushReads {
  const ofTask = database.prepare<PushColumns>(`${SELECT} WHERE tenant = ? AND run_id = ? ${ORDER}`);
  const after = database.prepare<PushColumns>(
    `${SELECT} WHERE (tenant, run_id, push_id) > (?, ?, ?) ${ORDER} LIMIT ?`,
  );
  return {
    taskPushes: async (tenant, runId) => ofTask.all(tenant, runId).map(toPush),
    everyTaskPush: async (place, limit) => {
      const { tenant, runId, pushId } = place ?? { tenant: '', runId: '', pushId: '' };
      return after.all(tenant, runId, pushId, limit).map(toPush);
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
  const changed = (write: () => { readonly changes: number }): boolean => {
    try {
      return write().changes > 0;
    } catch (error) {
      throw writeFailure(error);
    }
  };
  return {
    putTaskPush: async (push, most) =>
      atomically(own, () => {
        const { tenant, runId, pushId, url, credentials, version, createdAt, tries } = push;
        if ((others.get(tenant, runId, pushId)?.count ?? 0) >= most) return false;
        put.run(tenant, runId, pushId, url, credentials, version, createdAt, push.told ?? null, tries);
        return true;
      }),
    settleTaskPush: async ({ tenant, runId, pushId }, { told, tries, failingSince, nextAt }) =>
      changed(() =>
        settle.run(told ?? null, tries, failingSince ?? null, nextAt ?? null, tenant, runId, pushId),
      ),
    deleteTaskPush: async ({ tenant, runId, pushId }) => changed(() => remove.run(tenant, runId, pushId)),
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

function toPush({ told, failingSince, nextAt, ...rest }: PushColumns): TaskPush {
  return {
    ...rest,
    ...(told !== null && { told }),
    ...(failingSince !== null && { failingSince }),
    ...(nextAt !== null && { nextAt }),
  };
}

const AT_PLACE = 'WHERE tenant = ? AND run_id = ? AND push_id = ?';

const PUT = `
  INSERT OR REPLACE INTO task_pushes (tenant, run_id, push_id, url, credentials, version, created_at, told, tries)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
