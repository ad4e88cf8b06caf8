import {
  BatonError,
  type EventOf,
  type JsonObject,
  type RunLimits,
  type RunOptionsOverlay,
  rootRunId,
} from '@baton/protocol';
import { foldToRead } from '../../fold.ts';
import { refuseConfigurable } from '../../kernel/configurable.ts';
import { effectiveLimits, problemWithInputs } from '../../kernel/create.ts';
import { adopt } from '../../kernel/fold/evolve-fork.ts';
import type { Plan } from '../../kernel/graph/plan.ts';
import { newSource } from '../../kernel/replay/source.ts';
import { awaitedChildren, isEnded, type Run } from '../../kernel/run.ts';
import { asStep, emit, openRun, type WorkingRun, type World } from '../../kernel/working-run.ts';
import type { ForkPoint, ForkRecord, RunRow, Store, StoredRun } from '../../ports/store.ts';
import { linkAfter } from '../trees/chain-link.ts';
import { emptyTree, type LoadedTree, noProgress } from '../trees/loaded-tree.ts';
import type { Workflows } from '../workflows.ts';
import { type Overridden, overriddenBy, refuseOtherBeginning } from './fork-approvals.ts';
import { endedThere, historyGone, logGone, requireMemory } from './fork-history.ts';
import type { ForkRequest } from './fork-request.ts';

/**
 * Makes a fork of a run. The events before the cut are not copied: the fork refers to them. Children that had
 * ended at the cut are shared; children under way are forked at the same place in the tree.
 */

interface Forking {
  readonly store: Store;
  readonly workflows: Workflows;
  readonly world: World;
  readonly runId: string;
}

export async function forkRun(forking: Forking, source: RunRow, given: ForkRequest): Promise<LoadedTree> {
  const { store } = forking;
  const upTo = given.mode === 'replay' ? await store.newestPlace(source.rootId) : undefined;
  const request = { ...given, asked: given.fromSeq, ...(upTo !== undefined && { upTo }) };
  const fromSeq = beginning(source, request);
  // The index is checked first: a wrong index is an error even if the log is no longer kept.
  if (fromSeq > source.head) {
    const message = `The run has ${source.head} events; it cannot be forked at ${fromSeq}.`;
    throw new BatonError('fork_point_not_found', message, { fromSeq, lastSequence: source.head - 1 });
  }
  // An erasure that was interrupted leaves an ended tree of which only some runs are erased.
  if (await store.hasErasedRun(source.rootId)) throw historyGone(source, fromSeq, 'event_log_unavailable');
  if (source.purgedAt !== undefined) throw historyGone(source, fromSeq, 'retention_expired');
  const cut = fromSeq === 0 ? BEFORE_ALL : await cutOf(store, source, { ...request, fromSeq });
  if (cut === undefined) throw logGone(source, fromSeq);
  const loaded = emptyTree(forking.runId, forking.world, cut.place);
  const { tree } = loaded;
  if (cut.sequence === 0) await beginAgain(forking, loaded, source, { ...request, fromSeq: 0 });
  else {
    const overridden = await inherit(forking, loaded, source, request, cut);
    if (request.mode === 'branch') asStep(tree, () => takeOverlay(loaded, source, request, overridden));
  }
  loaded.tree.agenda.push(...loaded.tree.runs.keys());
  return loaded;
}

/**
 * A replay of a fork begins at the cut of that fork at the earliest, because only later events are its own.
 */
function beginning({ fork }: RunRow, { fromSeq, mode }: ForkRequest): number {
  return mode === 'replay' && fork ? Math.max(fromSeq, fork.fromSeq, 1) : fromSeq;
}

const BEFORE_ALL = { sequence: 0, place: 0 };

/**
 * The events of one step stay together, and events at or after the index are not taken over. So an index
 * within a step means the beginning of that step. Only a retry cuts within a step: right before the failure.
 */
async function cutOf(store: Store, source: RunRow, { fromSeq, mode, retry }: ForkRequest) {
  if (retry === undefined) {
    const cut = await store.stepBoundary(source.runId, fromSeq);
    return mode === 'branch' && cut ? wholeStepBefore(store, source, cut) : cut;
  }
  const [last] = await store.placedEvents(source.runId, fromSeq - 1, 1);
  return last && { sequence: fromSeq, place: last.place };
}

type Cut = NonNullable<Awaited<ReturnType<Store['stepBoundary']>>>;

/**
 * A retry begins within a step of the run that it retries. A branch of the retry at its first event would have
 * only the first part of that step, for example the outcome of an effect without the failure of its node. Such
 * a branch begins before the whole step.
 */
async function wholeStepBefore(store: Store, { fork }: RunRow, cut: Cut): Promise<Cut> {
  if (fork === undefined || fork.fromSeq < cut.sequence || cut.sequence === 0) return cut;
  const source = await store.run(fork.sourceRunId);
  if (source === undefined) return cut;
  const before = fork.fromSeq === cut.sequence ? await store.stepBoundary(source.runId, cut.sequence) : cut;
  return before ? wholeStepBefore(store, source, before) : cut;
}

/**
 * A fork at index 0 shares no events. It is started again with the definition and the limits of the source.
 */
async function beginAgain(
  forking: Forking,
  { tree }: LoadedTree,
  source: RunRow,
  request: ForkRequest,
): Promise<void> {
  const { store, workflows, runId, world } = forking;
  const first = (await store.placedEvents(source.runId, 0, 1))[0];
  if (first === undefined) throw logGone(source, 0);
  if (request.mode === 'branch') await refuseOtherBeginning(store, source, first.place, request);
  const event = JSON.parse(first.text) as EventOf<'run.started'>;
  const plan = await workflows.plan(event.payload.definition);
  const fork = recordOf(source.runId, { ...request, cutAt: Date.parse(event.timestamp) }, []);
  const point: ForkPoint = { runId, createdAt: world.now, fork };
  if (request.mode === 'replay') {
    // The first event of a replay has the time of the source's first event.
    tree.world = { ...world, now: Date.parse(event.timestamp), timestamp: event.timestamp };
    const { run } = asStep(tree, () => openRun(tree, plan, runId, event.payload, event.causationId, point));
    tree.world = world;
    await requireMemory(store, run, source, 0);
    return;
  }
  const { parentRunId, parentNodeId: _node, lineage: _lineage, scopeId, ...rest } = event.payload;
  // The branch has a trace of its own, and no run of another host has asked for it.
  const { traceparent: _trace, origin: _origin, ...payload } = rest;
  const { variables, configurable, tags, metadata } = request.overlay ?? {};
  refuseMisfits(plan, payload.configurable, request.overlay);
  const limits = limitsAsked(world, plan, payload.configurable, configurable);
  const given = {
    ...payload,
    // A child never wrote to the memory of a `scopeId`, even if its root had one.
    ...(scopeId && parentRunId === undefined && { scopeId }),
    ...(limits && { limits }),
    ...(variables && { variables: { ...payload.variables, ...variables } }),
    ...(configurable && {
      configurable: { ...payload.configurable, ...configurable } as typeof payload.configurable,
    }),
    ...(tags && { tags }),
    ...(metadata && { metadata: { ...payload.metadata, ...metadata } }),
  };
  const { run } = asStep(tree, () => openRun(tree, plan, runId, given, undefined, point));
  await requireMemory(store, run, source, 0);
}

/**
 * Takes over the state at the cut, of the run and of the children that it was waiting for. Returns the grant
 * that a branch overrides, if any.
 */
async function inherit(
  forking: Forking,
  loaded: LoadedTree,
  source: RunRow,
  request: ForkRequest,
  { sequence, place }: { readonly sequence: number; readonly place: number },
): Promise<Overridden> {
  const stored = await forking.store.storedRunAt(source.runId, sequence);
  if (stored === undefined) throw logGone(source, request.fromSeq);
  const state = foldToRead(stored);
  if (request.mode === 'branch' && isEnded(state)) {
    throw await endedThere(forking.store, source, state, request.asked ?? request.fromSeq);
  }
  const overridden =
    request.mode === 'branch' ? await overriddenBy(forking.store, source, state, place, request) : undefined;
  await requireMemory(forking.store, state, source, request.asked ?? request.fromSeq);
  const cut = { ...request, cutAt: state.at };
  const live = await inheritChildren(forking, loaded, state, forking.runId, source, cut, place);
  const point = {
    runId: forking.runId,
    createdAt: forking.world.now,
    fork: recordOf(source.runId, { ...request, fromSeq: sequence }, live),
  };
  await addFork(forking, loaded, state, stored, point);
  return overridden;
}

async function inheritChildren(
  forking: Forking,
  loaded: LoadedTree,
  parent: Run,
  parentForkId: string,
  source: RunRow,
  request: ForkRequest,
  cut: number,
): Promise<readonly string[]> {
  const live: string[] = [];
  for (const childRunId of childrenAtCut(forking, parent, parentForkId, request)) {
    const fromSeq = await forking.store.headAt(childRunId, cut);
    const stored = fromSeq === 0 ? undefined : await forking.store.storedRunAt(childRunId, fromSeq);
    if (stored === undefined) continue;
    const state = foldToRead(stored);
    if (isEnded(state)) {
      await addShared(forking, loaded, state, stored);
      continue;
    }
    // The source is a retry, which left this child behind: it belongs to the tree of the run that was retried. A
    // branch at the first event of the retry does not try the node again, so it goes on with the child.
    if (request.mode === 'replay' && rootRunId(childRunId) !== rootRunId(parent.runId)) continue;
    await requireMemory(forking.store, state, source, request.asked ?? request.fromSeq);
    live.push(childRunId);
    const runId = parentForkId + childRunId.slice(childRunId.lastIndexOf('.'));
    const below = await inheritChildren(forking, loaded, state, runId, source, request, cut);
    const fork = recordOf(childRunId, { ...request, fromSeq }, below);
    await addFork(forking, loaded, state, stored, {
      runId,
      parentRunId: parentForkId,
      createdAt: forking.world.now,
      fork,
    });
  }
  return live;
}

/**
 * The children that the run needed at the cut. A node that is tried again starts a child of its own, so the
 * child of the attempt that failed is left behind, even if it had not ended at the cut.
 */
function childrenAtCut(
  { runId }: Forking,
  parent: Run,
  parentForkId: string,
  { retry }: ForkRequest,
): readonly string[] {
  if (retry === undefined || parentForkId !== runId) return awaitedChildren(parent);
  const active = parent.active.filter((nodeId) => nodeId !== retry.payload.nodeId);
  return awaitedChildren({ ...parent, active });
}

function recordOf(
  sourceRunId: string,
  { fromSeq, mode, models, upTo, by, cutAt }: ForkRequest,
  live: readonly string[],
): ForkRecord {
  return {
    sourceRunId,
    fromSeq,
    mode,
    models,
    live,
    ...(upTo !== undefined && { upTo }),
    ...(by && { by }),
    ...(mode === 'branch' && cutAt !== undefined && { cutAt }),
  };
}

async function addFork(
  { store, workflows }: Forking,
  { tree, stored }: LoadedTree,
  state: Run,
  from: StoredRun,
  point: ForkPoint,
): Promise<void> {
  const run = adopt(state, point);
  tree.runs.set(point.runId, {
    tree,
    plan: await workflows.plan(run.definition),
    base: undefined,
    run,
    texts: [],
    point,
    inherited: run,
    ...(point.fork.mode === 'replay' && { source: newSource() }),
  });
  stored.set(point.runId, {
    status: undefined,
    tailBytes: from.tail.reduce((sum, text) => sum + text.length, 0),
    savedStateBytes: from.savedState?.state.length ?? 0,
    // The hash chain continues that of the source, so that changes to shared events are detected.
    chain: await linkAfter(store, point.fork.sourceRunId, point.fork.fromSeq, from.savedState, from.tail),
  });
}

/** Adds a child that had ended at the cut. It is shared: the fork reads it and never writes to it. */
async function addShared(
  { workflows }: Forking,
  { tree, stored }: LoadedTree,
  run: Run,
  { row }: StoredRun,
): Promise<void> {
  const plan = await workflows.plan(run.definition);
  tree.runs.set(run.runId, { tree, plan, base: run, run, texts: [] });
  stored.set(run.runId, { ...noProgress(row.chain ?? ''), status: row.status });
}

/** Records the first events of a branch: the changes of its caller, and the retry of the failed node. */
function takeOverlay(
  { tree }: LoadedTree,
  source: RunRow,
  { overlay, retry }: ForkRequest,
  overridden: Overridden,
): void {
  const working = tree.runs.get(tree.rootId) as WorkingRun;
  const { configurable, tags, metadata, variables } = overlay ?? {};
  refuseMisfits(working.plan, working.run.configurable, overlay);
  const limits = limitsAsked(tree.world, working.plan, working.run.configurable, configurable);
  emit(working, 'baton.run.branched', {
    sourceRunId: source.runId,
    fromSeq: working.run.head,
    ...(configurable && { configurable: configurable as Record<string, never> }),
    ...(tags && { tags }),
    ...(metadata && { metadata }),
    ...(variables && { variables }),
    ...(limits && { limits }),
    ...(overridden && { overridden }),
  });
  if (retry === undefined) return;
  const { nodeId, error } = retry.payload;
  const attempt = (working.run.nodes[nodeId]?.attempt ?? 0) + 1;
  emit(working, 'node.retried', { nodeId, attempt, delayMs: 0, lastError: error }, nodeId);
}

/** Refuses variables and options that do not fit the types and the schema of the workflow. */
function refuseMisfits(
  { definition }: Plan,
  before: JsonObject | undefined,
  { variables = {}, configurable }: RunOptionsOverlay = {},
): void {
  if (configurable) refuseConfigurable(definition, { ...before, ...configurable } as JsonObject);
  const declared = definition.variables?.map(({ required: _required, ...variable }) => variable) ?? [];
  const misfit = problemWithInputs({ ...definition, variables: declared }, variables as JsonObject);
  if (misfit === undefined) return;
  const field = misfit.field.replace('inputs', 'runOptionsOverlay.variables');
  throw new BatonError('validation_error', `fork: ${field} ${misfit.problem}`, { field });
}

const LIMITS = ['recursionLimit', 'runTimeoutMs', 'maxLoopIterations'] as const;

/**
 * The limits of a branch that changes them. A run computes its limits when it starts, so a branch computes
 * them again.
 */
function limitsAsked(
  { limits }: World,
  { definition }: Plan,
  before: JsonObject | undefined,
  asked: RunOptionsOverlay['configurable'],
): RunLimits | undefined {
  if (!LIMITS.some((name) => asked?.[name] !== undefined)) return undefined;
  return effectiveLimits(limits, definition, { ...before, ...asked } as JsonObject);
}
