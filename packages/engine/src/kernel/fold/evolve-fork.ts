import { type MemoryLayer, type PayloadOf, rootRunId } from '@baton/protocol';
import type { ForkPoint } from '../../ports/store.ts';
import type { NodeState, Run, RunMemory, Wait, WaitForWorkers } from '../run.ts';

/** The part of the fold that makes one run's state the beginning of another run. */

/** Runs without a scope of their own name write where nobody else does. */
export function ownScope(runId: string, scopeId?: string): string {
  return scopeId === undefined ? `run:${runId}` : `scope:${scopeId}`;
}

/** Everything that the run sees of memory, its own scope first. */
export function viewOfMemory({ scope, version, base }: RunMemory): readonly MemoryLayer[] {
  return version === 0 ? base : [{ scope, version }, ...base];
}

/** What the run wrote itself, its own scope first. */
export function ownLayers({ scope, version, base, mine = 0 }: RunMemory): readonly MemoryLayer[] {
  const before = base.slice(0, mine);
  return version === 0 ? before : [{ scope, version }, ...before];
}

/**
 * The state at the cut becomes the fork's: the same facts under its own name. It writes to a scope of its own
 * on top of what the source saw, its live children are its own forks of them, and the time that has passed
 * since is not held against a branch.
 */
export function adopt(run: Run, point: ForkPoint): Run {
  const { runId, parentRunId, createdAt, fork } = point;
  const { sourceRunId, fromSeq, mode, models } = fork;
  const identity = { sourceRunId, fromSeq, mode, models, diverged: false };
  if (fromSeq === 0) return { ...run, fork: identity };
  const renamed: Run = {
    ...run,
    runId,
    rootId: rootRunId(runId),
    ...(run.parent && parentRunId !== undefined && { parent: { ...run.parent, runId: parentRunId } }),
    memory: {
      scope: ownScope(runId),
      version: 0,
      base: viewOfMemory(run.memory).map((layer) => ({ at: run.at, ...layer })),
      mine: ownLayers(run.memory).length,
    },
    nodes: mapNodes(run, (wait) => renameChildren(wait, new Set(fork.live), runId)),
    fork: identity,
  };
  return mode === 'branch' ? later(renamed, createdAt - run.at) : renamed;
}

export function branched(run: Run, given: PayloadOf<'baton.run.branched'>): Run {
  const { configurable, tags, metadata, variables } = given;
  return {
    ...run,
    ...(configurable && { configurable: { ...run.configurable, ...configurable } }),
    ...(tags && { tags }),
    ...(metadata && { metadata: { ...run.metadata, ...metadata } }),
    ...(variables && { variables: { ...run.variables, ...variables } }),
  };
}

function mapNodes(run: Run, map: (wait: Wait) => Wait): Run['nodes'] {
  if (run.active.length === 0) return run.nodes;
  const nodes: Record<string, NodeState> = { ...run.nodes };
  for (const nodeId of run.active) {
    const state = nodes[nodeId];
    if (state?.status === 'running') nodes[nodeId] = { ...state, wait: map(state.wait) };
  }
  return nodes;
}

function renameChildren(wait: Wait, live: ReadonlySet<string>, runId: string): Wait {
  const rename = (child: string) => (live.has(child) ? runId + child.slice(child.lastIndexOf('.')) : child);
  const inWorkers = (workers: WaitForWorkers): WaitForWorkers => {
    const { handoff } = workers;
    if (handoff === undefined) return workers;
    const { childRunId, critic } = handoff;
    return {
      ...workers,
      handoff: {
        ...handoff,
        ...(childRunId !== undefined && { childRunId: rename(childRunId) }),
        ...(critic && { critic: { ...critic, runId: rename(critic.runId) } }),
      },
    };
  };
  switch (wait.for) {
    case 'child':
      return { ...wait, childRunId: rename(wait.childRunId) };
    case 'workers':
      return inWorkers(wait);
    case 'answer':
      return wait.then ? { ...wait, then: inWorkers(wait.then) } : wait;
    default:
      return wait;
  }
}

/** Moves every deadline: a question that had an hour left at the cut has an hour left in the branch. */
function later(run: Run, by: number): Run {
  const nodes: Record<string, NodeState> = { ...run.nodes };
  for (const nodeId of run.active) {
    const state = nodes[nodeId];
    if (state?.status === 'retrying') nodes[nodeId] = { ...state, until: state.until + by };
    if (state?.status !== 'running') continue;
    const { deadline } = state;
    nodes[nodeId] = {
      ...state,
      wait: waitLater(state.wait, by),
      ...(deadline !== undefined && { deadline: deadline + by }),
    };
  }
  const interrupts = Object.fromEntries(
    Object.entries(run.interrupts).map(([key, open]) => [
      key,
      open.expiresAt === undefined ? open : { ...open, expiresAt: open.expiresAt + by },
    ]),
  );
  return { ...run, startedAt: run.startedAt + by, at: run.at + by, nodes, interrupts };
}

function waitLater(wait: Wait, by: number): Wait {
  const inWorkers = (workers: WaitForWorkers): WaitForWorkers => {
    const critic = workers.handoff?.critic;
    if (workers.handoff === undefined || critic === undefined) return workers;
    return {
      ...workers,
      handoff: { ...workers.handoff, critic: { ...critic, deadline: critic.deadline + by } },
    };
  };
  switch (wait.for) {
    case 'time':
      return { ...wait, until: wait.until + by };
    case 'workers':
      return inWorkers(wait);
    case 'answer':
      return wait.then ? { ...wait, then: inWorkers(wait.then) } : wait;
    default:
      return wait;
  }
}
