import type { InfiniteData } from '@tanstack/react-query';
import { belongs, type RunFilters } from './filters.ts';
import type { RunRow } from './run-row.ts';

/** The pages of a list of runs that were read so far, and what changes in them when runs change. */

export interface RunsPage {
  readonly runs: readonly RunRow[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

export type ListedRuns = InfiniteData<RunsPage, string | undefined>;

interface Changed {
  readonly data: ListedRuns;
  /** Some run is perhaps new in the list, and only the host knows. */
  readonly mustAsk: boolean;
}

/** The list after some runs have changed or were created. Pages without a change stay the same objects. */
export function withChanges(
  data: ListedRuns,
  changed: ReadonlyMap<string, RunRow>,
  filters: RunFilters,
): Changed {
  const fresh = new Map(changed);
  const pages = data.pages.map((page) => {
    if (!page.runs.some(({ runId }) => fresh.has(runId))) return page;
    const runs = page.runs.flatMap((run) => {
      const now = fresh.get(run.runId);
      fresh.delete(run.runId);
      if (now === undefined) return [run];
      return belongs(filters, now, true) === true ? [now] : [];
    });
    return { ...page, runs };
  });
  const verdicts = [...fresh.values()].map((run) => [run, belongs(filters, run, false)] as const);
  const added = verdicts.flatMap(([run, verdict]) => (verdict === true ? [run] : []));
  return {
    data: {
      ...data,
      pages: added.toSorted(byAge).reduce<readonly RunsPage[]>(inserted, pages) as RunsPage[],
    },
    mustAsk: verdicts.some(([, verdict]) => verdict === undefined),
  };
}

function byAge(a: RunRow, b: RunRow): number {
  return a.createdAt < b.createdAt ? -1 : 1;
}

/** A run that is older than every run of the list comes with the next page, if there is one. */
function inserted(pages: readonly RunsPage[], run: RunRow): readonly RunsPage[] {
  const isBefore = ({ createdAt }: RunRow) => createdAt <= run.createdAt;
  const place = pages.findIndex(({ runs }) => runs.some(isBefore));
  const last = pages.at(-1);
  if (place >= 0) {
    return pages.map((page, index) => {
      if (index !== place) return page;
      const at = page.runs.findIndex(isBefore);
      return { ...page, runs: page.runs.toSpliced(at, 0, run) };
    });
  }
  if (last === undefined || last.nextCursor !== undefined) return pages;
  return [...pages.slice(0, -1), { ...last, runs: [...last.runs, run] }];
}

/** A list that is read again keeps no more pages than these, so that reading it does not take long. */
const PAGES_KEPT = 5;

export function shortened(data: ListedRuns): ListedRuns {
  return { pages: data.pages.slice(0, PAGES_KEPT), pageParams: data.pageParams.slice(0, PAGES_KEPT) };
}

/** The runs of all pages. A run that moved to a later page while pages were read is there twice and shown once. */
export function rowsOf(data: ListedRuns | undefined): readonly RunRow[] {
  const seen = new Set<string>();
  return (data?.pages ?? []).flatMap(({ runs }) =>
    runs.filter(({ runId }) => !seen.has(runId) && seen.add(runId) !== undefined),
  );
}
