import { laterBy, type MemoryLayer, type PayloadOf, rootRunId } from '@baton/protocol';
import { expiryTime } from '../../ports/memory.ts';
import type { ForkPoint, ForkRecord } from '../../ports/store.ts';
import { narrowScopes } from '../people/scopes.ts';
import type {
  CriticRun,
  EffectStep,
  Handoff,
  NodeState,
  Run,
  RunMemory,
  Wait,
  WaitForWorkers,
} from '../run.ts';
import { overlaid } from './evolve-values.ts';

/** The part of the fold that turns the state of a run into the beginning of a fork. */

/** The memory scope of a run. Without a `scopeId`, the run has a private memory scope. */
export function ownScope(runId: string, scopeId?: string): string {
  return scopeId === undefined ? `run:${runId}` : `scope:${scopeId}`;
}

/**
 * A root run with a `scopeId` shares this memory scope, as it was at the start. Any other run begins an empty
 * memory scope on top of the layers that it is given.
 */
export function memoryAtStart(runId: string, given: PayloadOf<'run.started'>): RunMemory {
  const { parentRunId, scopeId, memoryBase = [] } = given;
  if (parentRunId !== undefined || scopeId === undefined) {
    return { scope: ownScope(runId), version: 0, base: memoryBase };
  }
  return { scope: ownScope(runId, scopeId), version: memoryBase[0]?.version ?? 0, base: [] };
}

/** All layers of memory that the run sees, its own memory scope first. */
export function viewOfMemory({ scope, version, base }: RunMemory): readonly MemoryLayer[] {
  return version === 0 ? base : [{ scope, version }, ...base];
}

/** The layers that the run wrote itself, its own memory scope first. */
export function ownLayers({ scope, version, base, mine = 0 }: RunMemory): readonly MemoryLayer[] {
  const before = base.slice(0, mine);
  return version === 0 ? before : [{ scope, version }, ...before];
}

/**
 * The state at the cut becomes the state of the fork, with the ids of the fork. Children that had not ended
 * are replaced by their forks. In a branch, deadlines are moved by the time since the cut.
 */
export function adopt(run: Run, point: ForkPoint): Run {
  const { runId, parentRunId, createdAt, fork } = point;
  const { sourceRunId, fromSeq, mode, models, upTo, by, cutAt = run.at } = fork;
  // The source has counted its own calls.
  const { parent, spent: _counted, spentBy: _byAgents, ...rest } = run;
  const renamed: Run = {
    ...rest,
    ...(by && inNameOf(run, by)),
    runId,
    rootId: rootRunId(runId),
    // A child that is forked alone has no parent.
    ...(parent && parentRunId !== undefined && { parent: { ...parent, runId: parentRunId } }),
    memory: mode === 'branch' ? branchMemory(run, runId, cutAt, createdAt) : replayedMemory(run, point),
    nodes: mapRunning(run, (state) => ({
      ...withCritic(state, (critic) => ({
        ...critic,
        runId: renamedChild(critic.runId, fork.live, runId),
      })),
      wait: mapHandoff(
        state.wait,
        (handoff) => rename(handoff, fork.live, runId),
        (child) => renamedChild(child, fork.live, runId),
      ),
    })),
    ...(run.detached && {
      detached: run.detached.map((child) => ({
        ...child,
        childRunId: renamedChild(child.childRunId, fork.live, runId),
      })),
    }),
    fork: {
      sourceRunId,
      fromSeq,
      mode,
      createdAt,
      models,
      origin: originOf(run, fork),
      ...(upTo !== undefined && { upTo }),
      diverged: false,
    },
  };
  return mode === 'branch' && fromSeq > 0 ? later(renamed, createdAt - cutAt) : renamed;
}

function inNameOf(
  run: Run,
  by: NonNullable<ForkRecord['by']>,
): Pick<Run, 'principal' | 'starters' | 'scopes'> {
  const scopes = narrowScopes(run.scopes, by.scopes);
  const { starters = [...(run.starters ?? []), run.principal] } = by;
  const others = [...new Set(starters)].filter((one) => one !== by.principal);
  return {
    principal: by.principal,
    ...(others.length > 0 && { starters: others }),
    ...(scopes && { scopes }),
  };
}

/**
 * A branch writes to its own memory scope, on top of the memory that its source saw at the cut. From the
 * creation of the branch on, each entry has the time left that it had at the cut.
 */
function branchMemory(run: Run, runId: string, cutAt: number, createdAt: number): RunMemory {
  const { memory } = run;
  const base = asOf(cutAt, memory).map((layer) => ({ ...layer, since: createdAt }));
  return { scope: ownScope(runId), version: 0, base, mine: ownLayers(memory).length };
}

/** Entries that had not expired at this time stay visible to the run on top of these layers. */
function asOf(now: number, memory: RunMemory): readonly MemoryLayer[] {
  return viewOfMemory(memory).map((layer) => {
    const { at: _at, since: _since, ...rest } = layer;
    return { at: expiryTime(layer, now), ...rest };
  });
}

/**
 * A replay writes no memory. While it follows its source, it sees what the source had written by then. After
 * it diverges, it has its own memory scope on top of that.
 */
function replayedMemory(run: Run, { runId, fork }: ForkPoint): RunMemory {
  const { memory } = run;
  return memory.scope === ownScope(runId) ? { ...memory, scope: ownScope(originOf(run, fork)) } : memory;
}

/**
 * The run whose memory a fork sees. A replay that wrote no memory is skipped: the run that it follows is used
 * instead.
 */
function originOf({ fork, memory, runId }: Run, { origin, sourceRunId }: ForkRecord): string {
  if (origin !== undefined) return origin;
  return fork?.mode === 'replay' && memory.scope !== ownScope(runId) ? fork.origin : sourceRunId;
}

/** A replay has diverged from its source, or the replay that it follows has. */
export function parted(run: Run, { sourceRunId }: Pick<PayloadOf<'replay.diverged'>, 'sourceRunId'>): Run {
  const { fork, runId } = run;
  if (fork === undefined) return run;
  if (sourceRunId !== fork.sourceRunId) return onScope(run, ownScope(fork.sourceRunId));
  return onScope({ ...run, fork: { ...fork, diverged: true } }, ownScope(runId));
}

/** From now on the run writes to this memory scope, on top of the memory that it saw before. */
export function onScope(run: Run, scope: string): Run {
  const { memory, fork } = run;
  if (memory.scope === scope) return run;
  return {
    ...run,
    memory: { scope, version: 0, base: asOf(run.at, memory), mine: ownLayers(memory).length },
    ...(fork && { fork: { ...fork, origin: fork.sourceRunId } }),
  };
}

export function branched(run: Run, given: PayloadOf<'baton.run.branched'>): Run {
  const { configurable, tags, metadata, variables, limits } = given;
  return {
    ...run,
    ...(configurable && { configurable: { ...run.configurable, ...configurable } }),
    ...(tags && { tags }),
    ...(metadata && { metadata: { ...run.metadata, ...metadata } }),
    ...(variables && overlaid(run, variables)),
    ...(limits && { limits }),
  };
}

type Running = Extract<NodeState, { status: 'running' }>;

function mapRunning(run: Run, map: (state: Running) => Running): Run['nodes'] {
  if (run.active.length === 0) return run.nodes;
  const nodes: Record<string, NodeState> = { ...run.nodes };
  for (const nodeId of run.active) {
    const state = nodes[nodeId];
    if (state?.status === 'running') nodes[nodeId] = map(state);
  }
  return nodes;
}

/** Changes the critic that judges a result of the node's agent, if there is one. */
function withCritic(state: Running, change: (critic: CriticRun) => CriticRun): Running {
  const { review } = state;
  return review?.critic ? { ...state, review: { ...review, critic: change(review.critic) } } : state;
}

/** Changes the ids of children in whatever the node waits for. */
function mapHandoff(
  wait: Wait,
  ofHandoff: (handoff: Handoff) => Handoff,
  ofChild: (childRunId: string) => string,
): Wait {
  const inWorkers = (workers: WaitForWorkers): WaitForWorkers =>
    workers.handoff ? { ...workers, handoff: ofHandoff(workers.handoff) } : workers;
  switch (wait.for) {
    case 'child':
      return { ...wait, childRunId: ofChild(wait.childRunId) };
    case 'workers':
      return inWorkers(wait);
    case 'answer':
      return wait.workers ? { ...wait, workers: inWorkers(wait.workers) } : wait;
    case 'nothing':
    case 'time':
    case 'effects':
      return wait;
  }
}

function rename(handoff: Handoff, live: readonly string[], runId: string): Handoff {
  const { childRunId, critic } = handoff;
  return {
    ...handoff,
    ...(childRunId !== undefined && { childRunId: renamedChild(childRunId, live, runId) }),
    ...(critic && { critic: { ...critic, runId: renamedChild(critic.runId, live, runId) } }),
  };
}

/**
 * Children that settled before the cut keep the ids of the source. Each other child has a fork with the same
 * number.
 */
function renamedChild(child: string, live: readonly string[], runId: string): string {
  return live.includes(child) ? runId + child.slice(child.lastIndexOf('.')) : child;
}

/** Moves every deadline: a question with an hour left at the cut has an hour left in the branch. */
function later(run: Run, by: number): Run {
  const nodes: Record<string, NodeState> = { ...run.nodes };
  for (const nodeId of run.active) {
    const state = nodes[nodeId];
    if (state?.status === 'retrying') nodes[nodeId] = { ...state, until: laterBy(state.until, by) };
    if (state?.status !== 'running') continue;
    const { deadline } = state;
    nodes[nodeId] = {
      ...withCritic(state, (critic) => ({ ...critic, deadline: laterBy(critic.deadline, by) })),
      wait: waitLater(state.wait, by),
      ...(deadline !== undefined && { deadline: laterBy(deadline, by) }),
    };
  }
  const interrupts = Object.fromEntries(
    Object.entries(run.interrupts).map(([key, open]) => [
      key,
      open.expiresAt === undefined ? open : { ...open, expiresAt: laterBy(open.expiresAt, by) },
    ]),
  );
  return { ...run, startedAt: laterBy(run.startedAt, by), at: laterBy(run.at, by), nodes, interrupts };
}

function stepLater(step: EffectStep, by: number): EffectStep {
  return step.until === undefined ? step : { ...step, until: laterBy(step.until, by) };
}

function waitLater(wait: Wait, by: number): Wait {
  if (wait.for === 'time') return { ...wait, until: laterBy(wait.until, by) };
  if (wait.for === 'effects') return { ...wait, steps: wait.steps.map((step) => stepLater(step, by)) };
  return mapHandoff(
    wait,
    (handoff) =>
      handoff.critic
        ? { ...handoff, critic: { ...handoff.critic, deadline: laterBy(handoff.critic.deadline, by) } }
        : handoff,
    (child) => child,
  );
}
