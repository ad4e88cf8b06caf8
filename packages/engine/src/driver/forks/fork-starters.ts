import type { RunRow, Store } from '../../ports/store.ts';

/**
 * All principals who started or branched the run, a run that it was forked from, or a run above one of these.
 * The record of a branch lists them already.
 */
export async function startersBefore(store: Store, source: RunRow): Promise<readonly string[]> {
  const starters = new Set<string>();
  const seen = new Set<string>();
  const rows: RunRow[] = [source];
  for (let row = rows.pop(); row !== undefined; row = rows.pop()) {
    starters.add(row.principal);
    const { starters: known } = row.fork?.by ?? {};
    for (const one of known ?? []) starters.add(one);
    if (known !== undefined) continue;
    for (const runId of [row.parentRunId, row.fork?.sourceRunId]) {
      if (runId === undefined || seen.has(runId)) continue;
      seen.add(runId);
      const above = await store.run(runId);
      if (above !== undefined) rows.push(above);
    }
  }
  return [...starters];
}
