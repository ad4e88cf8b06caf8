import { localFeed, type Store } from '@baton/engine/ports';
import { checkpointWriter } from './audit/checkpoint-writer.ts';
import { runEraser } from './audit/run-eraser.ts';
import { groupCommitter } from './commit/commit-group.ts';
import { effectClaims } from './commit/effect-writer.ts';
import type { Database } from './database/database.ts';
import { configureWriter } from './database/settings.ts';
import { writeProbe } from './database/write-probe.ts';
import { memoryReads } from './memory/memory-reads.ts';
import { keyWriter } from './queries/api-keys.ts';
import { logOf } from './queries/log.ts';
import { peerWriter } from './queries/peers.ts';
import { remoteCancelWriter } from './queries/remote-cancels.ts';
import { replyLookup, replyPruner } from './queries/replies.ts';
import { toRunRow } from './queries/run-row.ts';
import { secretWriter } from './queries/secrets.ts';
import { newestPlaces, runFinder, storedRunLoader, treeLoader } from './queries/stored-runs.ts';
import { taskPushWriter } from './queries/task-pushes.ts';
import { usageReads } from './queries/tenant-usage.ts';
import { troubleStore } from './queries/troubled-trees.ts';
import { wakeQueries } from './queries/wakes.ts';
import { definitionReads, workflowReads, workflowWriter } from './queries/workflows.ts';
import { memoryPruner } from './retention/prune-memory.ts';
import { treePurger } from './retention/purge-trees.ts';
import { migrate, schemaVersion } from './schema/migrate.ts';
import { deliveryWriter } from './webhooks/delivery-writer.ts';
import { webhookWriter } from './webhooks/webhook-writer.ts';

/**
 * The writing side of the store, over any SQLite. All methods do their work synchronously, before they return
 * a promise, because one writer on a local disk waits only for the disk. `where` names the file in messages.
 */
export function sqliteStore(database: Database, where: string): Store {
  // Called first, so that a refused file is not changed.
  schemaVersion(database, where);
  configureWriter(database);
  migrate(database, where);

  const commit = groupCommitter(database);
  const { witness, sign } = checkpointWriter(database);
  const feed = localFeed();
  const writers = writersOf(database);
  const loadTree = treeLoader(database);
  const newestPlace = newestPlaces(database);
  const find = runFinder(database);
  const load = storedRunLoader(database);
  const log = logOf(database);
  const replyFor = replyLookup(database);
  const probe = writeProbe(database);

  return {
    async commit(slices) {
      const results = commit(slices);
      const stored = slices.filter((_, at) => results[at] === 'committed');
      witness(stored);
      feed.committed(stored);
      return results;
    },
    loadTree: async (rootId) => loadTree(rootId),
    async run(runId) {
      const row = find(runId);
      return row && toRunRow(row);
    },
    async storedRun(runId) {
      const row = find(runId);
      return row && load(row);
    },
    async storedRunAt(runId, sequence) {
      const row = find(runId);
      return row && load(row, sequence);
    },
    async placedEvents(runId, from, limit) {
      const row = find(runId);
      return row === undefined ? [] : log.read(row, from, limit);
    },
    async stepBoundary(runId, sequence) {
      const row = find(runId);
      return row && log.stepBoundary(row, sequence);
    },
    newestPlace: async (rootId) => newestPlace(rootId),
    async headAt(runId, place) {
      const row = find(runId);
      return row === undefined ? 0 : log.headAt(row, place);
    },
    ...memoryReads(database),
    ...wakeQueries(database),
    ...troubleStore(database),
    ...effectClaims(database),
    ...usageReads(database),
    replyFor: async (tenant, principal, key) => replyFor(tenant, principal, key),
    pruneReplies: replyPruner(database),
    purgeTrees: treePurger(database, (runId) => feed.tell({ kind: 'log', runId })),
    pruneMemory: memoryPruner(database),
    workflow: workflowReads(database).workflow,
    ...definitionReads(database),
    ...writers,
    ...feed.telling(writers),
    changes: feed.changes,
    sign,
    checkWritable: async () => probe(),
    close: async () => {
      database.close();
    },
  };
}

/** The methods that change single rows, beside `commit`. The feed tells of most of these changes. */
function writersOf(database: Database) {
  return {
    ...workflowWriter(database),
    ...keyWriter(database),
    ...peerWriter(database),
    ...secretWriter(database),
    ...webhookWriter(database),
    ...deliveryWriter(database),
    ...taskPushWriter(database),
    ...remoteCancelWriter(database),
    ...runEraser(database),
  };
}
