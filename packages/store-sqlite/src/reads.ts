import type { StoreReads } from '@baton/engine/ports';
import { auditReads } from './audit/audit-reads.ts';
import type { Database } from './database/database.ts';
import { memoryHistoryReads, memoryReads } from './memory/memory-reads.ts';
import { keyReads } from './queries/api-keys.ts';
import { runCounter, storageReads } from './queries/counts.ts';
import { hostWorkReads } from './queries/host-work.ts';
import { firstInterruptReader, interruptLister } from './queries/interrupts.ts';
import { runLister } from './queries/list-runs.ts';
import { logOf } from './queries/log.ts';
import { modelAnswerReads } from './queries/model-answers.ts';
import { peerReads } from './queries/peers.ts';
import { remoteCancelReads } from './queries/remote-cancels.ts';
import { replyLookup } from './queries/replies.ts';
import { type RunColumns, toRunRow } from './queries/run-row.ts';
import { RUN_OF_TENANT, runReader, runViews } from './queries/run-views.ts';
import { secretReads } from './queries/secrets.ts';
import { storedRunLoader } from './queries/stored-runs.ts';
import { taskPushReads } from './queries/task-pushes.ts';
import { spendingReads } from './queries/tenant-spending.ts';
import { troubleReads } from './queries/troubled-trees.ts';
import { definitionReads, workflowReads, workflowVersionReads } from './queries/workflows.ts';
import { requireNewestSchema } from './schema/migrate.ts';
import { webhookReads } from './webhooks/webhook-reads.ts';

/**
 * Reads for requests, on a read-only connection. Each call reads its rows completely, so no open query
 * prevents SQLite from truncating the write-ahead log.
 */
export function sqliteReads(database: Database, where: string): StoreReads {
  requireNewestSchema(database, where);
  const find = database.prepare<RunColumns>(RUN_OF_TENANT);
  const owner = database.prepare<{ tenant: string }>('SELECT tenant FROM runs WHERE run_id = ?');
  const log = logOf(database);
  const load = storedRunLoader(database);
  const ofRun = runReader(database);

  return {
    async run(tenant, runId) {
      const row = find.get(runId, tenant);
      return row && toRunRow(row);
    },
    ...runLister(database),
    runCounts: runCounter(database),
    ...storageReads(database),
    ...runViews(database),
    stored: async (tenant, runId) => ofRun(tenant, runId, load),
    storedAt: async (tenant, runId, sequence) => ofRun(tenant, runId, (row) => load(row, sequence)),
    events: async (tenant, runId, from, limit) =>
      ofRun(tenant, runId, (row) => log.read(row, from, limit).map(({ text }) => text)) ?? [],
    eventsInTree: async (tenant, runId, from, limit) =>
      ofRun(tenant, runId, (row) => log.read(row, from, limit)) ?? [],
    lengthAt: async (tenant, runId, place) => ofRun(tenant, runId, (row) => log.headAt(row, place)) ?? 0,
    ...memoryReads(database),
    ...memoryHistoryReads(database),
    interrupts: interruptLister(database),
    firstInterrupt: firstInterruptReader(database),
    tenantOf: async (runId) => owner.get(runId)?.tenant,
    ...workflowReads(database),
    ...workflowVersionReads(database),
    ...definitionReads(database),
    ...keyReads(database),
    ...peerReads(database),
    ...hostWorkReads(database),
    ...secretReads(database),
    ...spendingReads(database),
    ...taskPushReads(database),
    ...remoteCancelReads(database),
    replyFor: replyLookup(database),
    ...webhookReads(database),
    ...modelAnswerReads(database),
    ...auditReads(database),
    ...troubleReads(database),
    close: async () => {
      database.close();
    },
  };
}
