import type { LogReads, StoreReads } from '@baton/engine/ports';
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
import { type RunColumns, selectRuns, toRunRow } from './queries/run-row.ts';
import { runViews } from './queries/run-views.ts';
import { secretReads } from './queries/secrets.ts';
import { storedRunLoader } from './queries/stored-runs.ts';
import { taskPushReads } from './queries/task-pushes.ts';
import { spendingReads } from './queries/tenant-spending.ts';
import { troubleReads } from './queries/troubled-trees.ts';
import { definitionReads, workflowReads, workflowVersionReads } from './queries/workflows.ts';
import type { Self } from './self.ts';
import { webhookReads } from './webhooks/webhook-reads.ts';

/** Reads for requests. `self` is the host that asks: it claims deliveries of webhooks. */
export function postgresReads(database: Database, self: Self): StoreReads {
  return {
    async run(tenant, runId) {
      const row = await database.row<RunColumns>(FIND, runId, tenant);
      return row && toRunRow(row);
    },
    ...runLister(database),
    runCounts: runCounter(database),
    ...storageReads(database),
    ...runViews(database),
    ...logReads(database),
    ...memoryReads(database),
    ...memoryHistoryReads(database),
    interrupts: interruptLister(database),
    firstInterrupt: firstInterruptReader(database),
    tenantOf: async (runId) => (await database.row<{ tenant: string }>(OWNER, runId))?.tenant,
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
    ...webhookReads(database, self),
    ...modelAnswerReads(database),
    ...auditReads(database),
    ...troubleReads(database),
    close: database.close,
  };
}

/** Each method reads with one statement, so it sees one moment. */
function logReads(database: Database): LogReads {
  const load = storedRunLoader(database);
  const log = logOf(database);
  return {
    stored: (tenant, runId) => load(runId, undefined, tenant),
    storedAt: (tenant, runId, sequence) => load(runId, sequence, tenant),
    events: async (tenant, runId, from, limit) =>
      (await log.read(runId, from, limit, tenant)).map(({ text }) => text),
    eventsInTree: (tenant, runId, from, limit) => log.read(runId, from, limit, tenant),
    lengthAt: (tenant, runId, place) => log.headAt(runId, place, tenant),
  };
}

const FIND = selectRuns('WHERE run.run_id = $1 AND run.tenant = $2');
const OWNER = 'SELECT tenant FROM runs WHERE run_id = $1';
