import { setImmediate } from 'node:timers/promises';
import { MAX_BUNDLED_RUNS } from '@baton/protocol';
import type { RunRow, StoreReads } from '../ports/store.ts';

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

const AT_ONCE = 200;

export async function wantedRuns(reads: StoreReads, root: RunRow): Promise<WantedRuns> {
  const tree: RunRow[] = [root];
  let complete = true;
  for (let at = 0; at < tree.length && complete; at += 1) {
    const row = tree[at];
    if (row === undefined) break;
    for (const child of childrenOf(reads, row)) tree.push(child);
    complete = tree.length <= MAX_BUNDLED_RUNS;
    if (at % AT_ONCE === 0) await setImmediate();
  }
  const wanted = new Map<string, WantedRun>();
  for (const row of complete ? tree : [root]) wanted.set(row.runId, { row, part: 'tree', cut: row.head });
  for (const { row } of [...wanted.values()]) wantSource(reads, row, wanted);
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

function wantSource(reads: StoreReads, given: RunRow, wanted: Map<string, WantedRun>): void {
  for (let row: RunRow | undefined = given; row?.fork !== undefined && row.fork.fromSeq > 0; ) {
    const { fork, tenant }: RunRow = row;
    const known = wanted.get(fork?.sourceRunId ?? '');
    const source: RunRow | undefined = known?.row ?? reads.run(tenant, fork?.sourceRunId ?? '');
    if (source === undefined) return;
    const cut = Math.max(fork?.fromSeq ?? 0, source.fork?.fromSeq ?? 0, known?.cut ?? 0);
    wanted.delete(source.runId);
    wanted.set(source.runId, { row: source, part: known?.part ?? 'source', cut });
    row = source;
  }
}

function childrenOf(reads: StoreReads, { tenant, runId }: RunRow): readonly RunRow[] {
  const children: RunRow[] = [];
  let cursor: string | undefined;
  do {
    const page = reads.runs({ tenant, parentRunId: runId, limit: AT_ONCE, ...(cursor && { cursor }) });
    children.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined && children.length <= MAX_BUNDLED_RUNS);
  return children.reverse();
}
