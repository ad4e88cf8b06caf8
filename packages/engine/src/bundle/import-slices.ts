import type { BundledScope } from '@baton/protocol';
import type { Arrival, RunAdvance, Slice } from '../ports/store.ts';
import { type ArrivingRun, treesInOrder } from './arriving-runs.ts';
import { type FoldedRun, foldArriving } from './fold-arriving.ts';
import { refused } from './refused.ts';

/** Splits an imported tree into slices of bounded size, so that no slice blocks the store for long. */

const SLICE_BYTES = 128 * 1024;
const SLICE_ROWS = 256;

interface Arriving {
  readonly rootId: string;
  readonly tenant: string;
  readonly runs: readonly ArrivingRun[];
  readonly definitions: readonly { readonly digest: string; readonly definition: string }[];
  readonly scopes: readonly BundledScope[];
}

/** A tenant without keys. A tree belongs to it until all of the tree is stored. */
export function waitingFor(rootId: string): string {
  return `arriving:${rootId}`;
}

/** The last slice gives the whole tree to the tenant. */
export function importSlices({ rootId, tenant, runs, definitions, scopes }: Arriving): readonly Slice[] {
  const waiting = waitingFor(rootId);
  const fold = foldArriving(runs, tenant);
  const slices: Slice[] = [];
  /** By run, for the whole tree of the run. */
  const newestPlaces = new Map<string, number>();
  for (const tree of treesInOrder(runs)) {
    let newestPlace = beginningOf(tree, newestPlaces);
    for (const slice of treeSlices(tree, fold, newestPlace, waiting)) {
      slices.push(slice);
      newestPlace = slice.from + (slice.order?.length ?? 0);
    }
    for (const { record } of tree) newestPlaces.set(record.runId, newestPlace);
  }
  for (const arrival of arrivals(definitions, scopes)) {
    slices.push({ rootId, runs: [], arrival: { waiting, ...arrival } });
  }
  return mergeSmall(slices, { rootId, runs: [], arrival: { waiting, becomes: tenant } });
}

/** A run whose events are being written. */
interface Log {
  readonly one: ArrivingRun;
  readonly folded: FoldedRun;
  next: number;
  /** How many of its events are in earlier slices. `undefined` until the run is created. */
  written: number | undefined;
}

function* treeSlices(
  tree: readonly ArrivingRun[],
  fold: (run: ArrivingRun) => FoldedRun,
  beginning: number,
  waiting: string,
): Generator<Slice & { readonly from: number }> {
  const rootId = tree[0]?.topId ?? '';
  let from = beginning;
  const knowsSteps = tree.every(({ run }) => run.steps !== undefined);
  const logs = new Map<string, Log>();
  for (const one of inOrder(tree)) {
    logs.set(one.record.runId, { one, folded: fold(one), next: 0, written: undefined });
  }
  let current = new Set<Log>();
  let order: Log[] = [];
  let steps: number[] = [];
  let bytes = 0;

  const take = () => {
    const inSlice = [...current];
    const index = new Map(inSlice.map((log, at) => [log, at]));
    const slice = {
      rootId,
      from,
      runs: inSlice.map((log) => advanceOf(log, waiting)),
      order: order.map((log) => index.get(log) ?? 0),
      ...(knowsSteps && { steps }),
      arrival: { waiting },
    };
    from += order.length;
    current = new Set();
    order = [];
    steps = [];
    bytes = 0;
    return slice;
  };

  for (const { log, text, starts } of eventsInOrder(logs)) {
    current.add(log);
    if (text !== undefined) {
      if (starts) steps.push(order.length);
      order.push(log);
      log.folded.add(text);
      log.next += 1;
      bytes += text.length;
    }
    if (bytes >= SLICE_BYTES || order.length >= SLICE_ROWS || current.size >= SLICE_ROWS) yield take();
  }
  for (const { folded } of logs.values()) folded.finish();
  if (current.size > 0) yield take();
}

/** The places of a fork go on after those of its source. Sources are stored before their forks. */
function beginningOf(tree: readonly ArrivingRun[], newestPlaces: ReadonlyMap<string, number>): number {
  let place = 0;
  for (const { record } of tree) {
    const source = record.fork && newestPlaces.get(record.fork.sourceRunId);
    place = Math.max(place, source ?? 0);
  }
  return place;
}

/** Parents before their children. */
function inOrder(tree: readonly ArrivingRun[]): readonly ArrivingRun[] {
  return [...tree].sort((a, b) => a.record.runId.length - b.record.runId.length);
}

interface Placed {
  readonly log: Log;
  readonly place: number;
  /** Absent for a run without own events. */
  readonly text?: string;
  readonly starts: boolean;
}

/** All events, in the order in which they happened on the first host. */
function eventsInOrder(logs: ReadonlyMap<string, Log>): readonly Placed[] {
  const placed: Placed[] = [];
  const firstPlace = new Map<string, number>();
  for (const log of logs.values()) {
    const { run, record, texts } = log.one;
    const begins = record.parentRunId === undefined ? -1 : (firstPlace.get(record.parentRunId) ?? -1);
    const first = run.places[0] ?? begins;
    firstPlace.set(record.runId, first);
    const steps = new Set(run.steps);
    let last = begins;
    if (texts.length === 0) placed.push({ log, place: first, starts: false });
    for (const [at, text] of texts.entries()) {
      const place = run.places[at] ?? -1;
      if (place <= last) throw refused(`puts the events of run ${run.runId} in an impossible order`);
      last = place;
      placed.push({ log, place, text, starts: steps.has(at) });
    }
  }
  return placed.sort((a, b) => a.place - b.place);
}

function advanceOf(log: Log, waiting: string): RunAdvance {
  const { record, run, texts } = log.one;
  const from = record.fork?.fromSeq ?? 0;
  const before = log.written ?? 0;
  const created = log.written === undefined;
  const ends = log.next === texts.length;
  const checkpoint = log.folded.checkpoint();
  const listed = log.folded.listed();
  log.written = log.next;
  return {
    runId: record.runId,
    expectedHead: from + before,
    ...(created && { created: { ...record, tenant: waiting } }),
    events: texts.slice(before, log.next),
    // A run that is not complete must not look like an ended run, which could be removed.
    status: ends ? run.status : 'running',
    chain: log.folded.link(),
    ...(ends && run.goalMet !== undefined && { goalMet: run.goalMet }),
    ...(listed && { listed }),
    at: run.updatedAt,
    ...(checkpoint && { savedState: checkpoint }),
    interruptsOpened: [],
    interruptsClosed: [],
  };
}

type Piece = Pick<Arrival, 'definitions' | 'scopes'>;

function* arrivals(definitions: Arriving['definitions'], scopes: Arriving['scopes']): Generator<Piece> {
  for (const one of definitions) yield { definitions: [one] };
  for (const { scope, version, entries } of scopes) {
    let piece: BundledScope['entries'] = [];
    let bytes = 0;
    for (const entry of entries) {
      piece.push(entry);
      bytes += entry.content.length;
      if (bytes < SLICE_BYTES && piece.length < SLICE_ROWS) continue;
      yield { scopes: [{ scope, version, entries: piece }] };
      piece = [];
      bytes = 0;
    }
    if (piece.length > 0 || entries.length === 0) yield { scopes: [{ scope, version, entries: piece }] };
  }
}

/** Joins small slices. Most trees need only one slice. */
function mergeSmall(slices: readonly Slice[], last: Slice): readonly Slice[] {
  const merged: Slice[] = [];
  let bytes = 0;
  for (const slice of [...slices, last]) {
    const size = sizeOf(slice);
    const before = merged.at(-1);
    // A slice with runs is never joined to the one before, because it has its own order of events.
    if (before?.rootId === slice.rootId && slice.runs.length === 0 && bytes + size <= SLICE_BYTES) {
      merged[merged.length - 1] = { ...before, arrival: together(before.arrival, slice.arrival) };
      bytes += size;
    } else {
      merged.push(slice);
      bytes = size;
    }
  }
  return merged;
}

function together(a: Arrival | undefined, b: Arrival | undefined): Arrival {
  const definitions = [...(a?.definitions ?? []), ...(b?.definitions ?? [])];
  const scopes = [...(a?.scopes ?? []), ...(b?.scopes ?? [])];
  return {
    waiting: a?.waiting ?? b?.waiting ?? '',
    ...(definitions.length > 0 && { definitions }),
    ...(scopes.length > 0 && { scopes }),
    ...(b?.becomes !== undefined && { becomes: b.becomes }),
  };
}

function sizeOf({ runs, arrival }: Slice): number {
  let size = 0;
  for (const { events, savedState: checkpoint } of runs) {
    for (const text of events) size += text.length;
    size += checkpoint?.state.length ?? 0;
  }
  for (const { definition } of arrival?.definitions ?? []) size += definition.length;
  for (const { entries } of arrival?.scopes ?? []) for (const { content } of entries) size += content.length;
  return size;
}
