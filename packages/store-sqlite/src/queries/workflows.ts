import {
  type DefinitionReads,
  SHARED_TENANT,
  type Store,
  type WorkflowReads,
  type WorkflowRecord,
  type WorkflowVersion,
  type WorkflowVersionReads,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { replyWriter } from './replies.ts';

const SELECT = `
  SELECT tenant, id, version, digest, definition, created_at AS createdAt
  FROM workflows JOIN definitions USING (digest)`;

/** The workflows of a tenant: its own, and the shared ones that it has not replaced by its own. */
export function workflowReads(database: Database): WorkflowReads {
  const newest = database.prepare<WorkflowRecord>(
    `${SELECT} WHERE id = ? AND tenant IN (?, '${SHARED_TENANT}')
     ORDER BY tenant = '${SHARED_TENANT}', version DESC LIMIT 1`,
  );
  const asOf = database.prepare<WorkflowRecord>(
    `${SELECT} WHERE id = ? AND tenant IN (?, '${SHARED_TENANT}')
     ORDER BY tenant = '${SHARED_TENANT}', created_at > ?, CASE WHEN created_at > ? THEN -version ELSE version END DESC
     LIMIT 1`,
  );
  const all = database.prepare<WorkflowRecord>(
    `${SELECT} WHERE tenant = ? AND version =
       (SELECT max(version) FROM workflows AS same WHERE same.tenant = workflows.tenant AND same.id = workflows.id)`,
  );
  return {
    workflow: async (tenant, id) => newest.get(id, tenant),
    workflowAsOf: async (tenant, id, at) => asOf.get(id, tenant, at, at),
    async workflows(tenant) {
      const byId = new Map<string, WorkflowRecord>();
      for (const owner of new Set([SHARED_TENANT, tenant])) {
        for (const record of all.all(owner)) byId.set(record.id, record);
      }
      return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}

/** The tenant whose versions are listed: the asking one if it has a workflow of this id, else the shared one. */
const OWNER = `(
  SELECT tenant FROM workflows WHERE id = ? AND tenant IN (?, '${SHARED_TENANT}')
  ORDER BY tenant = '${SHARED_TENANT}' LIMIT 1)`;

export function workflowVersionReads(database: Database): WorkflowVersionReads {
  const below = database.prepare<WorkflowVersion>(
    `SELECT version, digest, created_at AS createdAt FROM workflows
     WHERE tenant = ${OWNER} AND id = ? AND version < ? ORDER BY version DESC LIMIT ?`,
  );
  const one = database.prepare<WorkflowRecord>(
    `${SELECT} WHERE tenant = ${OWNER} AND id = ? AND version = ?`,
  );
  return {
    workflowVersions: async (tenant, id, before, limit) => below.all(id, tenant, id, before, limit),
    workflowVersion: async (tenant, id, version) => one.get(id, tenant, id, version),
  };
}

/** A definition is kept as long as runs may need it, also after a newer version was registered. */
export function definitionReads(database: Database): DefinitionReads {
  const definition = database.prepare<{ definition: string }>(
    'SELECT definition FROM definitions WHERE digest = ?',
  );
  return { definition: async (digest) => definition.get(digest)?.definition };
}

export function workflowWriter(database: Database): Pick<Store, 'putWorkflow' | 'isRegistered'> {
  const own = transaction(database);
  const remember = replyWriter(database);
  const newest = database.prepare<{ version: number; digest: string }>(
    'SELECT version, digest FROM workflows WHERE tenant = ? AND id = ? ORDER BY version DESC LIMIT 1',
  );
  const addVersion = database.prepare(
    'INSERT INTO workflows (tenant, id, version, digest, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  const addDefinition = database.prepare(
    'INSERT INTO definitions (digest, definition) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING',
  );
  const registered = database.prepare(
    `SELECT 1 FROM workflows WHERE tenant IN (?, '${SHARED_TENANT}') AND id = ? AND digest = ? LIMIT 1`,
  );
  return {
    isRegistered: async (tenant, id, digest) => registered.get(tenant, id, digest) !== undefined,
    putWorkflow: async (workflow, reply) =>
      atomically(own, () => {
        const { tenant, id, digest, createdAt } = workflow;
        const last = newest.get(tenant, id);
        const created = last?.digest !== digest;
        const version = (last?.version ?? 0) + (created ? 1 : 0);
        if (created) {
          addDefinition.run(digest, workflow.definition);
          addVersion.run(tenant, id, version, digest, createdAt);
        }
        if (reply !== undefined) remember(reply(version));
        return { version, created };
      }),
  };
}
