import { importedView } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import { CONTRACTS, isoTime, type RunSummary } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

export const listRunsRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.listRuns, async (request) => {
    const { status, workflowId, tag, parentRunId, limit = 50, cursor } = request.query;
    const { tenant } = identityOf(request);
    const page = await host.reads.runs({ tenant, status, workflowId, tag, parentRunId, limit, cursor });
    return { runs: page.items.map(summaryOf), nextCursor: page.next };
  });
};

function summaryOf(row: RunRow): RunSummary {
  return {
    runId: row.runId,
    workflowId: row.workflowId,
    status: row.status,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    parentRunId: row.parentRunId,
    role: row.role,
    goalMet: row.goalMet,
    tags: row.tags.length === 0 ? undefined : [...row.tags],
    imported: row.imported && importedView(row.imported),
  };
}
