import { isTerminal } from '@baton/protocol';
import { extendLink } from '../audit/sha256.ts';
import { foldTexts } from '../fold.ts';
import { endStatus, type Run } from '../kernel/run.ts';
import { listedState } from '../listed-state.ts';
import { FOLD_VERSION } from '../ports/fold-version.ts';
import type { ForkPoint, RunAdvance, RunRecord, Slice } from '../ports/store.ts';
import type { ReadLog } from './read-log.ts';
import { refused } from './refused.ts';

/**
 * The runs of a bundle as slices for an empty store, one for each tree, the source of a fork before the fork. Runs
 * keep their ids. No slice sets a wake-up time and every row has an ended status, so nothing goes on by itself.
 * Every log is folded: one that cannot be folded, or that ends otherwise than its record claims, is refused.
 */
export function openedSlices(runs: readonly ReadLog[], tenant: string): readonly Slice[] {
  const byId = new Map(runs.map((one) => [one.run.runId, one]));
  const newestPlaces = new Map<ReadLog, number>();
  return treesInOrder(runs, byId).map((tree) => {
    // The places of a fork go on after those of its source.
    const sources = tree.map((one) => newestPlaces.get(sourceOf(one, byId) ?? one) ?? 0);
    const from = Math.max(...sources);
    const slice = sliceOf(tree, from, byId, tenant);
    for (const one of tree) newestPlaces.set(one, from + slice.order.length);
    return slice;
  });
}

type ById = ReadonlyMap<string, ReadLog>;

function sourceOf({ run: { fork } }: ReadLog, byId: ById): ReadLog | undefined {
  return fork === undefined ? undefined : byId.get(fork.sourceRunId);
}

/** The highest ancestor that is in the bundle, or the run itself. */
function topOf({ run: { runId } }: ReadLog, byId: ById): string {
  let top = runId;
  for (let at = top.lastIndexOf('.'); at > 0 && byId.has(top.slice(0, at)); at = top.lastIndexOf('.')) {
    top = top.slice(0, at);
  }
  return top;
}

function treesInOrder(runs: readonly ReadLog[], byId: ById): readonly (readonly ReadLog[])[] {
  const trees = new Map<string, ReadLog[]>();
  for (const one of runs) {
    const top = topOf(one, byId);
    const tree = trees.get(top);
    if (tree) tree.push(one);
    else trees.set(top, [one]);
  }
  const sorted = new Set<readonly ReadLog[]>();
  const begun = new Set<string>();
  const visit = (top: string): void => {
    const tree = trees.get(top) ?? [];
    if (sorted.has(tree)) return;
    if (begun.has(top)) throw refused('has trees that were forked from each other');
    begun.add(top);
    for (const one of tree) {
      const source = (one.run.fork?.fromSeq ?? 0) > 0 ? sourceOf(one, byId) : undefined;
      if (source !== undefined) visit(topOf(source, byId));
    }
    sorted.add(tree);
  };
  for (const top of trees.keys()) visit(top);
  return [...sorted];
}

function sliceOf(tree: readonly ReadLog[], from: number, byId: ById, tenant: string) {
  // A parent has a shorter id than its children.
  const inOrder = [...tree].sort((a, b) => a.run.runId.length - b.run.runId.length);
  const rootId = inOrder[0]?.run.runId ?? '';
  const placed = placedEvents(inOrder, rootId);
  const steps = placed.flatMap(({ starts }, at) => (starts ? [at] : []));
  return {
    rootId,
    from,
    runs: inOrder.map((one) => advanceOf(one, rootId, byId, tenant)),
    order: placed.map(({ index }) => index),
    ...(tree.every(({ run }) => run.steps !== undefined) && { steps }),
  };
}

interface Placed {
  readonly index: number;
  readonly place: number;
  readonly starts: boolean;
}

/** All events of a tree, in the order in which they happened. */
function placedEvents(tree: readonly ReadLog[], rootId: string): readonly Placed[] {
  const firstPlaces = new Map<string, number>();
  const placed: Placed[] = [];
  for (const [index, { run, texts }] of tree.entries()) {
    const { runId, places } = run;
    let last = runId === rootId ? -1 : (firstPlaces.get(run.parentRunId ?? '') ?? -1);
    firstPlaces.set(runId, places[0] ?? last);
    const steps = new Set(run.steps);
    for (let at = 0; at < texts.length; at += 1) {
      const place = places[at] ?? -1;
      if (place <= last) throw refused(`puts the events of run ${runId} in an impossible order`);
      last = place;
      placed.push({ index, place, starts: steps.has(at) });
    }
  }
  return placed.sort((a, b) => a.place - b.place);
}

/** The state of a longer log is saved, so that reading the run stays cheap. */
const LONG_LOG = 64 * 1024;

function advanceOf(one: ReadLog, rootId: string, byId: ById, tenant: string): RunAdvance {
  const { run, texts } = one;
  const whole = wholeLog(one, byId);
  const chain = extendLink('', whole.texts);
  const state = whole.texts.length === 0 ? undefined : folded(one, whole);
  const listed = state && listedState(state);
  const isLong = whole.texts.reduce((sum, text) => sum + text.length, 0) > LONG_LOG;
  const savedState = state &&
    isLong && {
      sequence: state.head,
      foldVersion: FOLD_VERSION,
      state: JSON.stringify({ ...state, tenant }),
      chain,
    };
  return {
    runId: run.runId,
    expectedHead: run.fork?.fromSeq ?? 0,
    created: recordOf(one, rootId, tenant),
    events: texts,
    // The engine looks at no tree whose runs have ended, so a run that was under way has no other status here.
    status: isTerminal(run.status) ? run.status : 'cancelled',
    chain,
    ...(run.goalMet !== undefined && { goalMet: run.goalMet }),
    ...(listed && { listed }),
    at: run.updatedAt,
    ...(savedState && { savedState }),
    interruptsOpened: [],
    interruptsClosed: [],
  };
}

function recordOf({ run }: ReadLog, rootId: string, tenant: string): RunRecord {
  const { runId, parentRunId, parentNodeId, role, fork } = run;
  const isTop = runId === rootId;
  return {
    runId,
    rootId,
    ...(!isTop && parentRunId !== undefined && { parentRunId }),
    ...(!isTop && parentNodeId !== undefined && { parentNodeId }),
    tenant,
    principal: run.principal,
    workflowId: run.workflowId,
    workflowVersion: run.workflowVersion,
    tags: run.tags,
    createdAt: run.createdAt,
    ...(role !== undefined && { role }),
    ...(fork !== undefined && { fork }),
  };
}

interface WholeLog {
  readonly texts: readonly string[];
  readonly points: readonly ForkPoint[];
}

/** The log of a run up to an index, with the events that its sources wrote. */
function wholeLog(one: ReadLog, byId: ById, upTo = Number.POSITIVE_INFINITY): WholeLog {
  const { run, texts } = one;
  const { runId, parentRunId, createdAt, fork } = run;
  const from = fork?.fromSeq ?? 0;
  const source = from > 0 ? sourceOf(one, byId) : undefined;
  if (source !== undefined && upTo < from) return wholeLog(source, byId, upTo);
  const before = source === undefined ? { texts: [], points: [] } : wholeLog(source, byId, from);
  const point = fork && { runId, createdAt, fork, ...(parentRunId !== undefined && { parentRunId }) };
  return {
    texts: [...before.texts, ...texts.slice(0, upTo - from)],
    points: point === undefined ? before.points : [...before.points, point],
  };
}

function folded({ run, texts }: ReadLog, whole: WholeLog): Run {
  const { runId, workflowId, status, parentRunId, part } = run;
  const state = orUnreadable(runId, () => foldTexts(undefined, whole.texts, whole.points));
  // A source of which only the beginning is in the bundle may have no events of its own.
  const isShared = part === 'source' && texts.length === 0;
  if (isShared) return state;
  if (state.runId !== runId || state.head !== whole.texts.length || state.workflowId !== workflowId) {
    throw refused(`holds a log of run ${runId} that belongs to another run`);
  }
  if (part === 'source') return state;
  const claimed = isTerminal(status) ? status : undefined;
  if (endStatus(state) !== claimed || state.parent?.runId !== parentRunId) {
    throw refused(`holds a log of run ${runId} that does not end with the claimed status`);
  }
  return state;
}

function orUnreadable(runId: string, fold: () => Run): Run {
  try {
    return fold();
  } catch {
    throw refused(`holds a log of run ${runId} that cannot be folded`);
  }
}
