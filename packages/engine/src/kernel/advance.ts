import { type EventType, runError } from '@baton/protocol';
import { reserveForRun } from './budgets/reserve.ts';
import { failRun, stopChild } from './ending.ts';
import { completeNode, failNode, startNode } from './execute.ts';
import { endsOverVerdict, goalOf } from './goal.ts';
import type { PlanNode } from './graph/plan.ts';
import { readiness } from './graph/readiness.ts';
import { noteDetached } from './handoff/child-end.ts';
import { breachDuration, breachSize, durationDeadline, hasOutgrown } from './limits.ts';
import { withdrawInterrupt } from './people/asking.ts';
import { expireInterrupt } from './people/interrupts.ts';
import { serveFromSource } from './replay/serve.ts';
import { isFollowing } from './replay/source.ts';
import { isEnded, isPending, type NodeState } from './run.ts';
import {
  asStep,
  EventTooLargeError,
  emit,
  type Tree,
  type WorkingRun,
  workingParent,
} from './working-run.ts';

/** Advances a tree until all its runs wait, or until `spent` says that the share of the tree is used. */
export function advanceTree(tree: Tree, spent: (tree: Tree) => boolean): 'quiet' | 'spent' | 'wanting' {
  while (tree.agenda.length > 0) {
    if (spent(tree)) return 'spent';
    const runId = tree.agenda[tree.agenda.length - 1] as string;
    const working = tree.runs.get(runId);
    tree.awaitsCommit = false;
    tree.resting = false;
    if (working !== undefined && takeStepOrRest(working)) continue;
    // The run stays on the agenda. The search for nodes that can start continues where it stopped.
    if (tree.resting) continue;
    if (tree.wanted.length > 0) return 'wanting';
    // The run stays on the agenda. It must read again after this slice commits.
    if (tree.awaitsCommit) return 'spent';
    remove(tree.agenda, runId);
    const parent = working && isEnded(working.run) ? working.run.parent?.runId : undefined;
    if (parent !== undefined) tree.agenda.push(parent);
  }
  return 'quiet';
}

function remove(agenda: string[], runId: string): void {
  const at = agenda.lastIndexOf(runId);
  if (at !== -1) agenda.splice(at, 1);
}

/** Takes one step. If an event of the step is too large, the step is undone and the run fails. */
export function takeStep(working: WorkingRun): boolean {
  return asStep(working.tree, () => takeNextStep(working));
}

/** The same for a replay. It notes the beginning of the step only after it has compared the step. */
export function takeNextStep(working: WorkingRun): boolean {
  return withoutRest(working.tree, () => tryStep(working, () => step(working)));
}

function takeStepOrRest(working: WorkingRun): boolean {
  return asStep(working.tree, () => tryStep(working, () => step(working)));
}

function withoutRest(tree: Tree, act: () => boolean): boolean {
  for (;;) {
    tree.resting = false;
    const went = act();
    if (!tree.resting) return went;
  }
}

/**
 * Takes the step that begins with an event of this type at this node, if the run can take it. Several steps
 * may be possible at the same time, and a replay must take them in the order of its source.
 */
export function takeStepAt(working: WorkingRun, type: EventType, nodeId: string | undefined): boolean {
  return withoutRest(working.tree, () =>
    tryStep(working, () => stepAt(working, type, nodeId) ?? step(working)),
  );
}

/** `undefined` when the event does not tell which step to take. Then the next possible step is taken. */
function stepAt(working: WorkingRun, type: EventType, nodeId: string | undefined): boolean | undefined {
  const { run } = working;
  const node = nodeId === undefined ? undefined : working.plan.nodes.get(nodeId);
  if (node === undefined || isEnded(run) || isHeld(working)) return undefined;
  if (working.tree.world.now >= durationDeadline(run) || hasOutgrown(run)) return undefined;
  const state = run.nodes[node.id];
  if (state !== undefined && run.active.includes(node.id)) return proceed(working, node.id, state);
  if (type !== 'node.started' && type !== 'node.skipped') return undefined;
  return run.phase.kind === 'running' && beginNode(working, node);
}

function tryStep(working: WorkingRun, act: () => boolean): boolean {
  const { tree } = working;
  const before = {
    run: working.run,
    texts: working.texts.length,
    happened: tree.happened.length,
    changes: tree.changes.length,
  };
  try {
    return act();
  } catch (problem) {
    if (!(problem instanceof EventTooLargeError)) throw problem;
    working.run = before.run;
    working.texts.length = before.texts;
    tree.happened = tree.happened.filter((one, at) => at < before.happened || one !== working);
    tree.changes.length = before.changes;
    failRun(working, runError('event_too_large', problem.message));
    return true;
  }
}

/** Takes the next step of this run. False when the run can only wait. */
function step(working: WorkingRun): boolean {
  const { run } = working;
  if (isEnded(run)) return false;
  if (breachDuration(working) || breachSize(working)) return true;
  if (isHeld(working)) return false;
  if (reserveForRun(working)) return true;
  for (const child of run.detached ?? []) {
    if (noteDetached(working, child)) return true;
    if (isHeldUp(working.tree)) return false;
  }
  for (const nodeId of run.active) {
    const state = run.nodes[nodeId];
    if (state !== undefined && proceed(working, nodeId, state)) return true;
    if (isHeldUp(working.tree)) return false;
  }
  if (run.phase.kind === 'draining') {
    if (run.active.length > 0) return false;
    const { reason, by } = run.phase;
    emit(working, 'run.paused', { ...(reason && { reason }), ...(by && { by }) });
    return true;
  }
  if (startNext(working)) return true;
  if (isHeldUp(working.tree)) return false;
  if (run.active.length > 0) return false;
  if (endsOverVerdict(run)) {
    failRun(working, runError('verdict_failed'));
    return true;
  }
  const goal = goalOf(run);
  emit(working, 'run.completed', goal ? { goal } : {});
  return true;
}

/**
 * A step that waits for a look-up or a commit must be taken before any other step of its run. So the order of
 * steps never depends on which values the host had already looked up.
 */
function isHeldUp(tree: Tree): boolean {
  return tree.wanted.length > 0 || tree.awaitsCommit || tree.resting;
}

/** Whether the run or a run above it is paused. */
export function isHeld(working: WorkingRun): boolean {
  for (let at: WorkingRun | undefined = working; at !== undefined; at = workingParent(at)) {
    if (at.run.phase.kind === 'paused') return true;
  }
  return false;
}

/** Whether the slice that is being made has resumed the run or a run above it. */
export function isResumed(working: WorkingRun): boolean {
  if (isHeld(working)) return false;
  for (let at: WorkingRun | undefined = working; at !== undefined; at = workingParent(at)) {
    if (at.base?.phase.kind === 'paused') return true;
  }
  return false;
}

/** The search for a node that can start is interrupted after this much work: a few milliseconds. */
const WORK_BEFORE_REST = 100_000;

/** Conditions of waiting nodes are evaluated again after each step, so all of them together may take long. */
function startNext(working: WorkingRun): boolean {
  const { tree, plan, run, searched } = working;
  const before = tree.work;
  const from = searched?.run === run ? searched.nodes : 0;
  for (let at = from; at < plan.order.length; at += 1) {
    if (beginNode(working, plan.order[at] as PlanNode)) return true;
    if (isHeldUp(tree)) return false;
    if (tree.work - before < WORK_BEFORE_REST) continue;
    working.searched = { run, nodes: at + 1 };
    tree.resting = true;
    return false;
  }
  return false;
}

function beginNode(working: WorkingRun, node: PlanNode): boolean {
  const ready = readiness(working, node);
  if (ready === 'wait') return false;
  if (ready === 'start') return startNode(working, node);
  if (ready === 'skip') {
    emit(working, 'node.skipped', { nodeId: node.id, reason: 'not-triggered' }, node.id);
  } else {
    const message = `A condition before node "${node.id}": ${ready.broken}`;
    failRun(working, runError('expression_failed', message), node.id);
  }
  return true;
}

function proceed(working: WorkingRun, nodeId: string, state: NodeState): boolean {
  const node = working.plan.nodes.get(nodeId);
  const { now } = working.tree.world;
  if (node === undefined) return false;
  if (state.status === 'retrying') {
    if (state.until > now) return false;
    return startNode(working, node);
  }
  if (state.status !== 'running') return false;
  if (state.deadline !== undefined && state.deadline <= now) {
    timeOut(working, node, state);
    return true;
  }
  switch (state.wait.for) {
    case 'time':
      if (state.wait.until > now) return false;
      completeNode(working, nodeId);
      return true;
    case 'answer': {
      const open = working.run.interrupts[state.wait.key];
      if (open?.expiresAt === undefined || open.expiresAt > now) return false;
      expireInterrupt(working, open);
      return true;
    }
    case 'effects':
      if (state.wait.steps.some(isPending))
        return working.run.fork?.mode === 'replay' && !isFollowing(working) && serveFromSource(working, node);
      return node.type.proceed?.(working, nodeId) ?? false;
    case 'nothing':
    case 'child':
    case 'workers':
      return node.type.proceed?.(working, nodeId) ?? false;
  }
}

/**
 * Before the node fails, its child is cancelled and its question is withdrawn, so that no late result
 * arrives.
 */
function timeOut(
  working: WorkingRun,
  node: PlanNode,
  state: Extract<NodeState, { status: 'running' }>,
): void {
  stopChild(working, node.id);
  if (state.wait.for === 'answer') withdrawInterrupt(working, state.wait.key);
  failNode(working, node, runError('node_timeout', `Node "${node.id}" did not finish in time.`));
}
