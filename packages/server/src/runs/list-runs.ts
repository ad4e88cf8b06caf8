import type { ListedRun, Page, RunQuery } from '@baton/engine/ports';
import { CONTRACTS, invalid } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { inTurn } from '../http/fair-schedule.ts';
import { summaryOf } from './run-summary.ts';

/** Runs that are looked at in one piece, and pieces for one answer. Other requests are served between two pieces. */
const WITHIN = 5000;
const MOST_PIECES = 40;

export const listRunsRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.listRuns, async (request) => {
    const page = await firstFilled(host, queryOf(request));
    return { runs: page.items.map(summaryOf), nextCursor: page.next };
  });
};

function queryOf(request: RequestTo<typeof CONTRACTS.listRuns>): RunQuery {
  const { q, status, createdAfter, createdBefore, limit = 50, ...rest } = request.query;
  return {
    ...rest,
    tenant: identityOf(request).tenant,
    limit,
    within: WITHIN,
    ...(q !== undefined && { text: q }),
    ...(status && { statuses: [...new Set(status)] }),
    ...(createdAfter !== undefined && { createdFrom: momentOf('createdAfter', createdAfter) }),
    ...(createdBefore !== undefined && { createdBefore: momentOf('createdBefore', createdBefore) }),
  };
}

/** The format of a date allows times that no clock of a computer shows, such as 23:59:60. */
function momentOf(field: string, text: string): number {
  const moment = Date.parse(text);
  if (Number.isNaN(moment))
    throw invalid('query', { field, problem: 'is not a time such as 2026-01-31T09:00:00Z' });
  return moment;
}

/** Looks on while the page is empty, so that a reader rarely gets an empty page that is not the last one. */
async function firstFilled(
  { reads, turns }: Pick<HostContext, 'reads' | 'turns'>,
  query: RunQuery,
): Promise<Page<ListedRun>> {
  let page = await reads.runs(query);
  for (let pieces = 1; page.items.length === 0 && page.next !== undefined; pieces += 1) {
    if (pieces === MOST_PIECES) break;
    const cursor = page.next;
    page = await inTurn(turns, query.tenant, () => reads.runs({ ...query, cursor }));
  }
  return page;
}

/** Counting more rows of an index would hold up other requests. */
const MOST_COUNTED = 200_000;

export const countRunsRoute: Routes = (app, { reads }) => {
  bind(app, CONTRACTS.countRuns, async (request) => {
    const counts = await reads.runCounts(identityOf(request).tenant, MOST_COUNTED);
    return counts.total < MOST_COUNTED ? counts : { ...counts, capped: true };
  });
};
