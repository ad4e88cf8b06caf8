import {
  type Columns,
  present,
  type TaskPush,
  type TaskPushReads,
  type TaskPushStore,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { lockName } from '../database/locks.ts';

/** The pushes of A2A tasks. */

type PushColumns = Columns<TaskPush>;

const SELECT = `
  SELECT tenant, run_id AS "runId", push_id AS "pushId", url, credentials, version, created_at AS "createdAt", told,
    tries, failing_since AS "failingSince", next_at AS "nextAt"
  FROM task_pushes`;

const ORDER = 'ORDER BY tenant, run_id, push_id';

export function taskPushReads(database: Database): TaskPushReads {
  return {
    async taskPushes(tenant, runId) {
      const rows = await database.rows<PushColumns>(OF_TASK, tenant, runId);
      return rows.map((row) => present<TaskPush>(row));
    },
    async everyTaskPush(place, limit) {
      const { tenant, runId, pushId } = place ?? { tenant: '', runId: '', pushId: '' };
      const rows = await database.rows<PushColumns>(AFTER, tenant, runId, pushId, limit);
      return rows.map((row) => present<TaskPush>(row));
    },
  };
}

export function taskPushWriter(database: Database): TaskPushStore {
  return {
    putTaskPush: ({ tenant, runId, pushId, url, credentials, version, createdAt, told, tries }, most) =>
      database.transaction(async (queries) => {
        const values = [tenant, runId, pushId, url, credentials, version, createdAt, told ?? null, tries];
        const [, stored] = await Promise.all([
          lockName(queries, 'task pushes', tenant, runId),
          queries.run(PUT, ...values, most),
        ]);
        return stored > 0;
      }),
    settleTaskPush: async ({ tenant, runId, pushId }, { told, tries, failingSince, nextAt }) => {
      const progress = [told ?? null, tries, failingSince ?? null, nextAt ?? null];
      return (await database.run(SETTLE, tenant, runId, pushId, ...progress)) > 0;
    },
    deleteTaskPush: async ({ tenant, runId, pushId }) =>
      (await database.run(DELETE, tenant, runId, pushId)) > 0,
    rewrapTaskPushes: (pushes) =>
      database.transaction((queries) => queries.run(REWRAP, JSON.stringify(pushes))),
  };
}

const OF_TASK = `${SELECT} WHERE tenant = $1 AND run_id = $2 ${ORDER}`;

const AFTER = `${SELECT} WHERE (tenant, run_id, push_id) > ($1, $2, $3) ${ORDER} LIMIT $4`;

const PUT = `
  INSERT INTO task_pushes (tenant, run_id, push_id, url, credentials, version, created_at, told, tries)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
  WHERE (SELECT count(*) FROM task_pushes WHERE tenant = $1 AND run_id = $2 AND push_id <> $3) < $10
  ON CONFLICT (tenant, run_id, push_id) DO UPDATE SET url = excluded.url, credentials = excluded.credentials,
    version = excluded.version, created_at = excluded.created_at, told = excluded.told, tries = excluded.tries,
    failing_since = NULL, next_at = NULL`;

const AT_PLACE = 'WHERE tenant = $1 AND run_id = $2 AND push_id = $3';

const SETTLE = `UPDATE task_pushes SET told = $4, tries = $5, failing_since = $6, next_at = $7 ${AT_PLACE}`;

const DELETE = `DELETE FROM task_pushes ${AT_PLACE}`;

const REWRAP = `
  UPDATE task_pushes AS push SET credentials = given."to"
  FROM json_to_recordset($1::json) AS given (tenant text, "runId" text, "pushId" text, "from" text, "to" text)
  WHERE push.tenant = given.tenant AND push.run_id = given."runId" AND push.push_id = given."pushId"
    AND push.credentials = given."from"`;
