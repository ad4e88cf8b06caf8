import type { Store } from '@baton/engine/ports';
import { groupCommitter } from './commit/commit-group.ts';
import type { Database } from './database/database.ts';
import { configureWriter } from './database/settings.ts';
import { keyWriter } from './queries/api-keys.ts';
import { replyLookup, replyPruner } from './queries/replies.ts';
import { runLookup, storedRunLookup, treeLoader } from './queries/stored-runs.ts';
import { wakeQueries } from './queries/wakes.ts';
import { workflowReads, workflowWriter } from './queries/workflows.ts';
import { migrate, schemaVersion } from './schema/migrate.ts';

/**
 * The driver's side of the store over any SQLite. Work is done before a promise is returned: with one
 * writer on a local disk there is nothing to wait for but the disk itself. `where` is for messages.
 */
export function sqliteStore(database: Database, where: string): Store {
  // Asked first, so that a file which is refused has not been touched.
  schemaVersion(database, where);
  configureWriter(database);
  migrate(database, where);

  const commit = groupCommitter(database);
  const loadTree = treeLoader(database);
  const run = runLookup(database);
  const storedRun = storedRunLookup(database);
  const replyFor = replyLookup(database);
  const { workflow } = workflowReads(database);

  return {
    commit: async (slices) => commit(slices),
    loadTree: async (rootId) => loadTree(rootId),
    run: async (runId) => run(runId),
    storedRun: async (runId) => storedRun(runId),
    ...wakeQueries(database),
    replyFor: async (tenant, key) => replyFor(tenant, key),
    pruneReplies: replyPruner(database),
    workflow: async (tenant, id) => workflow(tenant, id),
    ...workflowWriter(database),
    ...keyWriter(database),
    close: async () => {
      database.close();
    },
  };
}
