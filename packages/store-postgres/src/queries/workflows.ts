import {
  type DefinitionReads,
  type IdempotencyRecord,
  SHARED_TENANT,
  type Store,
  type WorkflowReads,
  type WorkflowRecord,
  type WorkflowVersion,
  type WorkflowVersionReads,
} from '@baton/engine/ports';
import { tellChanges } from '../commit/commit-row.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Self } from '../self.ts';
import { rememberReply } from './replies.ts';

const COLUMNS = 'tenant, id, version, digest, definition, created_at AS "createdAt"';

const SELECT = `SELECT ${COLUMNS} FROM workflows JOIN definitions USING (digest)`;

/** The own workflows of a tenant ($1) come before the shared ones. */
const OWN_FIRST = `tenant = '${SHARED_TENANT}'`;
const MAY_RUN = `tenant IN ($1, '${SHARED_TENANT}')`;

/** The workflows of a tenant: its own, and the shared ones that it has not replaced by its own. */
export function workflowReads(database: Database): WorkflowReads {
  return {
    workflow: (tenant, id) => database.row<WorkflowRecord>(NEWEST, tenant, id),
    workflowAsOf: (tenant, id, at) => database.row<WorkflowRecord>(AS_OF, tenant, id, at),
    workflows: (tenant) => database.rows<WorkflowRecord>(ALL, tenant),
  };
}

export function workflowVersionReads(database: Database): WorkflowVersionReads {
  return {
    workflowVersions: (tenant, id, before, limit) =>
      database.rows<WorkflowVersion>(VERSIONS, tenant, id, before, limit),
    workflowVersion: (tenant, id, version) => database.row<WorkflowRecord>(VERSION, tenant, id, version),
  };
}

/** A definition is kept as long as runs may need it, also after a newer version was registered. */
export function definitionReads(database: Database): DefinitionReads {
  return {
    definition: async (digest) =>
      (await database.row<{ definition: string }>(DEFINITION, digest))?.definition,
  };
}

interface Registered {
  readonly version: number;
  readonly created: boolean;
}

type Reply = (version: number) => IdempotencyRecord;

export function workflowWriter(database: Database, self: Self): Pick<Store, 'putWorkflow' | 'isRegistered'> {
  /** `undefined` if another host has added a version meanwhile. */
  async function put(
    queries: Queries,
    { tenant, id, digest, definition, createdAt }: Omit<WorkflowRecord, 'version'>,
    reply: Reply | undefined,
  ): Promise<Registered | undefined> {
    const last = await queries.row<{ version: number; digest: string }>(LAST, tenant, id);
    const created = last?.digest !== digest;
    const version = (last?.version ?? 0) + (created ? 1 : 0);
    if (created) {
      const [, added] = await Promise.all([
        queries.run(ADD_DEFINITION, digest, definition),
        queries.run(ADD_VERSION, tenant, id, version, digest, createdAt),
      ]);
      if (added === 0) return undefined;
      await tellChanges(queries, self, [{ kind: 'workflow', tenant, id }]);
    }
    if (reply !== undefined) await rememberReply(queries, reply(version));
    return { version, created };
  }

  return {
    isRegistered: async (tenant, id, digest) =>
      (await database.row(REGISTERED, tenant, id, digest)) !== undefined,
    async putWorkflow(workflow, reply) {
      for (;;) {
        const registered = await database.transaction((queries) => put(queries, workflow, reply));
        if (registered !== undefined) return registered;
      }
    },
  };
}

const NEWEST = `${SELECT} WHERE id = $2 AND ${MAY_RUN} ORDER BY ${OWN_FIRST}, version DESC LIMIT 1`;

const AS_OF = `${SELECT} WHERE id = $2 AND ${MAY_RUN}
  ORDER BY ${OWN_FIRST}, created_at > $3, CASE WHEN created_at > $3 THEN -version ELSE version END DESC LIMIT 1`;

const ALL = `
  SELECT ${COLUMNS} FROM (
    SELECT DISTINCT ON (id) * FROM workflows WHERE ${MAY_RUN} ORDER BY id, ${OWN_FIRST}, version DESC
  ) AS newest JOIN definitions USING (digest) ORDER BY id`;

/** The tenant whose versions are listed: the asking one if it has a workflow of this id, else the shared one. */
const OWNER = `(SELECT tenant FROM workflows WHERE id = $2 AND ${MAY_RUN} ORDER BY ${OWN_FIRST} LIMIT 1)`;

const VERSIONS = `
  SELECT version, digest, created_at AS "createdAt" FROM workflows
  WHERE tenant = ${OWNER} AND id = $2 AND version < $3 ORDER BY version DESC LIMIT $4`;

const VERSION = `${SELECT} WHERE tenant = ${OWNER} AND id = $2 AND version = $3`;

const DEFINITION = 'SELECT definition FROM definitions WHERE digest = $1';

const REGISTERED = `SELECT FROM workflows WHERE ${MAY_RUN} AND id = $2 AND digest = $3 LIMIT 1`;

const LAST =
  'SELECT version, digest FROM workflows WHERE tenant = $1 AND id = $2 ORDER BY version DESC LIMIT 1';

const ADD_DEFINITION =
  'INSERT INTO definitions (digest, definition) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING';

const ADD_VERSION = `
  INSERT INTO workflows (tenant, id, version, digest, created_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant, id, version) DO NOTHING`;
