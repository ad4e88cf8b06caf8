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
import { usageReads } from './queries/counts.ts';
import { logOf } from './queries/log.ts';
import { peerWriter } from './queries/peers.ts';
import { remoteCancelWriter } from './queries/remote-cancels.ts';
import { replyLookup, replyPruner } from './queries/replies.ts';
import { type RunColumns, toRunRow } from './queries/run-row.ts';
import { secretWriter } from './queries/secrets.ts';
import { newestPlaces, runFinder, storedRunLoader, treeLoader } from './queries/stored-runs.ts';
import { taskPushWriter } from './queries/task-pushes.ts';
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
  const ofRun = <T>(runId: string, read: (row: RunColumns) => T): T | undefined => {
    const row = find(runId);
    return row && read(row);
  };
  const load = storedRunLoader(database);
  const log = logOf(database);
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
    run: async (runId) => ofRun(runId, toRunRow),
    storedRun: async (runId) => ofRun(runId, load),
    storedRunAt: async (runId, sequence) => ofRun(runId, (row) => load(row, sequence)),
    placedEvents: async (runId, from, limit) => ofRun(runId, (row) => log.read(row, from, limit)) ?? [],
    stepBoundary: async (runId, sequence) => ofRun(runId, (row) => log.stepBoundary(row, sequence)),
    newestPlace: async (rootId) => newestPlace(rootId),
    headAt: async (runId, place) => ofRun(runId, (row) => log.headAt(row, place)) ?? 0,
    ...memoryReads(database),
    ...wakeQueries(database),
    ...troubleStore(database),
    ...effectClaims(database),
    ...usageReads(database),
    replyFor: replyLookup(database),
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
