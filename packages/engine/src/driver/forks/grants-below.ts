import { childRunId, type EventOf, eventSequence, type RunEvent } from '@baton/protocol';
import { GRANTING, isGrant, showsValues } from '../../kernel/people/grants.ts';
import type { PlacedEvent, RunRow, Store } from '../../ports/store.ts';

/** Searches the runs below a run for grants, up to a place in the tree. */

export interface Covered {
  /** The given run, and the index in it at which the node with the grant started. */
  readonly runId: string;
  readonly index: number;
  /** False when there were too many events to read, so that a grant cannot be ruled out. */
  readonly isCertain: boolean;
}

/** The search stops after this many events, so that it does not delay other jobs. */
const MOST_EVENTS = 20_000;
const PAGE = 256;

export async function coveredBelow(store: Store, row: RunRow, limit: number): Promise<Covered | undefined> {
  const search = { store, left: MOST_EVENTS };
  for (let number = 1; ; number += 1) {
    const child = await childOf(search, row, number, limit);
    if (child === undefined) return undefined;
    if (!(await isCovered(search, child))) continue;
    const index = eventSequence(child.first.causationId ?? '') ?? 0;
    return { runId: row.runId, index, isCertain: search.left > 0 };
  }
}

interface Search {
  readonly store: Store;
  left: number;
}

interface Child {
  readonly row: RunRow;
  readonly first: EventOf<'run.started'>;
  /** Events after this place are not searched. */
  readonly limit: number;
}

/**
 * The child with this number: of the run, or of the run that it was forked from, if it began before the cut.
 */
async function childOf(
  search: Search,
  row: RunRow,
  number: number,
  upTo: number,
): Promise<Child | undefined> {
  const { store } = search;
  let limit = upTo;
  for (let at: RunRow | undefined = row; at !== undefined; ) {
    search.left -= 1;
    const found = await store.run(childRunId(at.runId, number));
    if (found !== undefined) return begun(store, found, limit);
    const { fork, runId }: RunRow = at;
    if (fork === undefined || fork.fromSeq === 0) return undefined;
    const [last] = await store.placedEvents(runId, fork.fromSeq - 1, 1);
    limit = Math.min(limit, last?.place ?? 0);
    at = await store.run(fork.sourceRunId);
  }
  return undefined;
}

async function begun(store: Store, row: RunRow, limit: number): Promise<Child | undefined> {
  const [first] = await store.placedEvents(row.runId, 0, 1);
  if (first === undefined || first.place > limit) return undefined;
  return { row, first: JSON.parse(first.text) as EventOf<'run.started'>, limit };
}

/** Also true when there are too many events to read, because then a grant cannot be ruled out. */
async function isCovered(search: Search, child: Child): Promise<boolean> {
  if (await isCoveredItself(search, child)) return true;
  for (let number = 1; search.left > 0; number += 1) {
    const below = await childOf(search, child.row, number, child.limit);
    if (below === undefined) return false;
    if (await isCovered(search, below)) return true;
  }
  return true;
}

async function isCoveredItself(search: Search, { row, limit }: Child): Promise<boolean> {
  const open = new Set<string>();
  for (let from = 0; search.left > 0; from += PAGE) {
    const page = await search.store.placedEvents(row.runId, from, PAGE);
    search.left -= page.length;
    for (const placed of page) {
      if (placed.place > limit) return open.size > 0;
      const event = worthReading(placed);
      if (event === undefined) continue;
      if (isGrant(event)) return true;
      if (event.type === 'interrupt.resolved') open.delete(event.payload.interruptId);
      if (ENDS.has(event.type)) open.clear();
      if (event.type === 'interrupt.requested' && showsValues({ request: event.payload })) {
        open.add(event.payload.key);
      }
    }
    if (page.length < PAGE) return open.size > 0;
  }
  return true;
}

const ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled']);
const MARKS = [...GRANTING, 'interrupt.requested', 'interrupt.resolved', ...ENDS].map(
  (type) => `"type":"${type}"`,
);

/** `undefined` for an event of another type, which need not be parsed. */
function worthReading({ text }: PlacedEvent): RunEvent | undefined {
  return MARKS.some((mark) => text.includes(mark)) ? (JSON.parse(text) as RunEvent) : undefined;
}
