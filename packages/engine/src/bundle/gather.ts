import { setImmediate } from 'node:timers/promises';
import { FIRST_LINK } from '@baton/protocol';
import { extendLink } from '../audit/sha256.ts';
import type { RunRow, StoreReads } from '../ports/store.ts';
import { maskText } from './mask.ts';

/** Collects the logs that belong to a run, up to a size: its tree, and what forks in it share with others. */

export interface GatheredRun {
  readonly row: RunRow;
  readonly part: 'tree' | 'source';
  /** The run's own events, masked. */
  readonly texts: readonly string[];
  readonly places: readonly number[];
  /** Which of the events begin a step, by their index here; absent where that is not known of all. */
  readonly steps?: readonly number[];
  /** Nothing for a log without a chain. */
  readonly chain?: string;
  readonly masked: readonly { readonly sequence: number; readonly link: string }[];
}

export interface Gathered {
  readonly runs: readonly GatheredRun[];
  readonly complete: boolean;
}

interface Wanted {
  readonly row: RunRow;
  readonly part: 'tree' | 'source';
  /** Events before this one; a source is needed only as far as it is shared. */
  cut: number;
}

const AT_ONCE = 200;

export async function gatherTree(reads: StoreReads, root: RunRow, maxBytes: number): Promise<Gathered> {
  const wanted = new Map<string, Wanted>();
  let complete = wantTree(reads, root, wanted, maxBytes / SMALLEST_RUN);
  const all = [...wanted.values()];
  const tree = all.filter(({ part }) => part === 'tree');
  // A source of a source comes after it, and its links are needed first.
  const sources = all.filter(({ part }) => part === 'source').reverse();
  const links: Links = new Map();
  const runs: GatheredRun[] = [];
  let room = maxBytes;
  for (const want of [...sources, ...tree]) {
    const run = await gatherRun(reads, want, links, room);
    if (run.texts.length < want.cut - ownStart(want.row)) complete = false;
    for (const text of run.texts) room -= text.length;
    runs.push(run);
  }
  return { runs, complete };
}

/** The first event that the run itself wrote. */
export function ownStart({ fork }: Pick<RunRow, 'fork'>): number {
  return fork?.fromSeq ?? 0;
}

/** The links after each event that a run wrote, for those who share some of them. */
type Links = Map<string, { readonly row: RunRow; readonly after: readonly string[] }>;

function linkBefore(links: Links, runId: string, sequence: number): string | undefined {
  if (sequence === 0) return FIRST_LINK;
  const run = links.get(runId);
  if (run === undefined) return undefined;
  const start = ownStart(run.row);
  if (run.row.fork !== undefined && sequence <= start) {
    return linkBefore(links, run.row.fork.sourceRunId, sequence);
  }
  return run.after[sequence - start - 1];
}

/** No run is smaller, so no bundle has room for more of them. */
const SMALLEST_RUN = 512;

/** False when there are more than fit. */
function wantTree(reads: StoreReads, root: RunRow, wanted: Map<string, Wanted>, most: number): boolean {
  const tree: RunRow[] = [root];
  for (let at = 0; at < tree.length; at += 1) {
    const row = tree[at];
    if (row === undefined || tree.length > most) return false;
    tree.push(...childrenOf(reads, row));
  }
  for (const row of tree) wanted.set(row.runId, { row, part: 'tree', cut: row.head });
  for (const row of tree) wantSource(reads, row, wanted);
  return true;
}

function wantSource(reads: StoreReads, { fork, tenant }: RunRow, wanted: Map<string, Wanted>): void {
  if (fork === undefined || fork.fromSeq === 0) return;
  const known = wanted.get(fork.sourceRunId);
  const source = known?.row ?? reads.run(tenant, fork.sourceRunId);
  if (source === undefined) return;
  const cut = Math.max(fork.fromSeq, source.fork?.fromSeq ?? 0, known?.cut ?? 0);
  wanted.delete(source.runId);
  wanted.set(source.runId, { row: source, part: known?.part ?? 'source', cut });
  wantSource(reads, source, wanted);
}

function childrenOf(reads: StoreReads, { tenant, runId }: RunRow): readonly RunRow[] {
  const children: RunRow[] = [];
  let cursor: string | undefined;
  do {
    const page = reads.runs({ tenant, parentRunId: runId, limit: AT_ONCE, ...(cursor && { cursor }) });
    children.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return children.reverse();
}

/** As many events as there is room for. */
async function gatherRun(
  reads: StoreReads,
  { row, part, cut }: Wanted,
  links: Links,
  room: number,
): Promise<GatheredRun> {
  const from = ownStart(row);
  const after: string[] = [];
  const texts: string[] = [];
  const places: number[] = [];
  const steps: number[] = [];
  let knowsSteps = true;
  const masked: { sequence: number; link: string }[] = [];
  let link = linkBefore(links, row.fork?.sourceRunId ?? '', from);
  let left = room;
  for (let next = from; next < cut && left > 0; ) {
    const page = reads.filedEvents(row.runId, next, Math.min(AT_ONCE, cut - next));
    const last = page.at(-1);
    if (last === undefined) break;
    for (const { sequence, pos, text, starts } of page) {
      const shown = maskText(text);
      left -= shown.length;
      if (left < 0) break;
      link = link === undefined ? undefined : extendLink(link, [text]);
      if (link !== undefined) after.push(link);
      if (link !== undefined && shown !== text) masked.push({ sequence, link });
      if (starts === 1) steps.push(texts.length);
      knowsSteps &&= starts !== null;
      texts.push(shown);
      places.push(pos);
    }
    next = last.sequence + 1;
    await setImmediate();
  }
  links.set(row.runId, { row, after });
  const chain = cut === row.head ? row.chain : row.chain && link;
  return {
    row,
    part,
    texts,
    places,
    ...(knowsSteps && { steps }),
    masked,
    ...(chain !== undefined && { chain }),
  };
}
