import { localFeed, type Store } from '@baton/engine/ports';
import { checkpointWriter } from './audit/checkpoint-writer.ts';
import { runEraser } from './audit/run-eraser.ts';
import { groupCommitter } from './commit/commit-group.ts';
import { effectClaims } from './commit/effect-writer.ts';
import { connectTo } from './database/connections.ts';
import type { Database } from './database/database.ts';
import { commitFeed } from './hosts/commit-feed.ts';
import { memoryReads } from './memory/memory-reads.ts';
import { keyWriter } from './queries/api-keys.ts';
import { usageReads } from './queries/counts.ts';
import { logOf } from './queries/log.ts';
import { peerWriter } from './queries/peers.ts';
import { remoteCancelWriter } from './queries/remote-cancels.ts';
import { replyLookup, replyPruner } from './queries/replies.ts';
import { secretWriter } from './queries/secrets.ts';
import { newestPlaces, runFinder, storedRunLoader, treeLoader } from './queries/stored-runs.ts';
import { taskPushWriter } from './queries/task-pushes.ts';
import { troubleStore } from './queries/troubled-trees.ts';
import { wakeQueries } from './queries/wakes.ts';
import { definitionReads, workflowReads, workflowWriter } from './queries/workflows.ts';
import { commitPruner } from './retention/prune-commits.ts';
import { memoryPruner } from './retention/prune-memory.ts';
import { treePurger } from './retention/purge-trees.ts';
import type { Self } from './self.ts';
import { deliveryWriter } from './webhooks/delivery-writer.ts';
import { webhookWriter } from './webhooks/webhook-writer.ts';

/** Rows of `commits` that nobody needs any more are removed this often. */
const PRUNE_EVERY_MS = 10_000;

/** The writing side of the store. `url` is for the connections that have a session of their own. */
export async function postgresStore(database: Database, url: string, self: Self): Promise<Store> {
  const feed = localFeed();
  const heard = await commitFeed(url, self, feed);
  const group = groupCommitter(url, self);
  // Work on very many rows takes its time. Its connection is opened when it is needed.
  const patient = connectTo({ url, most: 1, name: 'baton upkeep' });
  const writers = { ...writersOf(database, self), ...runEraser(patient, self) };
  const load = storedRunLoader(database);
  const log = logOf(database);
  const pruning = setInterval(
    () => void commitPruner(database)().catch(() => undefined),
    PRUNE_EVERY_MS,
  ).unref();

  return {
    async commit(slices) {
      const results = await group.commit(slices);
      feed.committed(slices.filter((_, at) => results[at] === 'committed'));
      return results;
    },
    loadTree: treeLoader(database),
    run: runFinder(database),
    storedRun: (runId) => load(runId),
    storedRunAt: (runId, sequence) => load(runId, sequence),
    placedEvents: log.read,
    stepBoundary: log.stepBoundary,
    newestPlace: newestPlaces(database),
    headAt: log.headAt,
    ...memoryReads(database),
    ...wakeQueries(database, self),
    ...troubleStore(database, self),
    ...effectClaims(database),
    ...usageReads(database),
    replyFor: replyLookup(database),
    pruneReplies: replyPruner(patient),
    purgeTrees: treePurger(patient, self, (runId) => feed.tell({ kind: 'log', runId })),
    pruneMemory: memoryPruner(patient),
    workflow: workflowReads(database).workflow,
    ...definitionReads(database),
    ...writers,
    ...feed.telling(writers),
    changes: feed.changes,
    ...checkpointWriter(database),
    async checkWritable() {
      await database.run(PROBE, self.hostNo);
    },
    async close() {
      clearInterval(pruning);
      await heard.close();
      await group.close();
      await patient.close();
      await database.close();
    },
  };
}

/** The methods that change single rows, beside `commit`. The feed tells of most of these changes. */
function writersOf(database: Database, self: Self) {
  return {
    ...workflowWriter(database, self),
    ...keyWriter(database, self),
    ...peerWriter(database, self),
    ...secretWriter(database, self),
    ...webhookWriter(database, self),
    ...deliveryWriter(database, self),
    ...taskPushWriter(database),
    ...remoteCancelWriter(database),
  };
}

/** Changes nothing that anybody reads. */
const PROBE = 'UPDATE hosts SET seen_at = seen_at WHERE host_no = $1';
