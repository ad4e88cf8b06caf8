import { MAX_BUNDLED_RUNS } from '@baton/protocol';
import type { RunReads } from '../ports/reads/runs.ts';
import type { RunRow } from '../ports/store.ts';

/** The runs whose logs belong into a bundle: the tree, and the sources of its forks. */
export interface WantedRun {
  readonly row: RunRow;
  readonly part: 'tree' | 'source';
  /** Only events before this index are needed. A source is needed only as far as a fork shares it. */
  readonly cut: number;
}

interface WantedRuns {
  /** Sources come before their forks. The tree comes last. */
  readonly runs: readonly WantedRun[];
  /** False when there are more runs than a bundle may hold. */
  readonly complete: boolean;
}

/** `descendants` has `MAX_BUNDLED_RUNS` rows when there are more than a bundle may hold. */
export async function wantedRuns(
  reads: Pick<RunReads, 'run'>,
  root: RunRow,
  descendants: readonly RunRow[],
): Promise<WantedRuns> {
  const complete = descendants.length < MAX_BUNDLED_RUNS;
  const wanted = new Map<string, WantedRun>();
  for (const row of complete ? [root, ...descendants] : [root])
    wanted.set(row.runId, { row, part: 'tree', cut: row.head });
  for (const { row } of [...wanted.values()]) await wantSource(reads, row, wanted);
  const all = [...wanted.values()];
  const sources = all.filter(({ part }) => part === 'source');
  return {
    // A source of a source was added after it, so the order is reversed.
    runs: [...sources.reverse(), ...all.filter(({ part }) => part === 'tree')],
    complete: complete && all.length <= MAX_BUNDLED_RUNS,
  };
}

export function ownStart({ fork }: Pick<RunRow, 'fork'>): number {
  return fork?.fromSeq ?? 0;
}

async function wantSource(
  reads: Pick<RunReads, 'run'>,
  given: RunRow,
  wanted: Map<string, WantedRun>,
): Promise<void> {
  for (let row: RunRow | undefined = given; row?.fork !== undefined && row.fork.fromSeq > 0; ) {
    const { fork, tenant }: RunRow = row;
    const known = wanted.get(fork?.sourceRunId ?? '');
    const source: RunRow | undefined = known?.row ?? (await reads.run(tenant, fork?.sourceRunId ?? ''));
    if (source === undefined) return;
    const cut = Math.max(fork?.fromSeq ?? 0, source.fork?.fromSeq ?? 0, known?.cut ?? 0);
    wanted.delete(source.runId);
    wanted.set(source.runId, { row: source, part: known?.part ?? 'source', cut });
    row = source;
  }
}
