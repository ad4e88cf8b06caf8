import { runError } from '@baton/protocol';
import { failRun, stopChild } from './ending.ts';
import { completeNode, failNode, startNode } from './execute.ts';
import { goalOf } from './goal.ts';
import type { PlanNode } from './graph/plan.ts';
import { readiness } from './graph/readiness.ts';
import { breachDuration } from './limits.ts';
import { expireInterrupt, withdrawInterrupt } from './people/interrupts.ts';
import { serveFromSource } from './replay/serve.ts';
import { isEnded, type NodeState } from './run.ts';
import { EventTooLargeError, emit, parentTurn, type Tree, type Turn } from './turn.ts';

/** Goes on with a tree until it waits for the outside, or `spent` says that others should have a turn. */
export function advanceTree(tree: Tree, spent: (tree: Tree) => boolean): 'quiet' | 'spent' | 'wanting' {
  while (tree.agenda.length > 0) {
    if (spent(tree)) return 'spent';
    const runId = tree.agenda[tree.agenda.length - 1] as string;
    const turn = tree.turns.get(runId);
    if (turn !== undefined && takeStep(turn)) continue;
    if (tree.wanted.size > 0 || tree.wantedSources.length > 0) return 'wanting';
    remove(tree.agenda, runId);
    const parent = turn && isEnded(turn.run) ? turn.run.parent?.runId : undefined;
    if (parent !== undefined) tree.agenda.push(parent);
  }
  return 'quiet';
}

function remove(agenda: string[], runId: string): void {
  const at = agenda.lastIndexOf(runId);
  if (at !== -1) agenda.splice(at, 1);
}

/** A node that makes more data than an event may hold fails; its half-written facts never existed. */
export function takeStep(turn: Turn): boolean {
  const before = { run: turn.run, texts: turn.texts.length, happened: turn.tree.happened.length };
  try {
    return step(turn);
  } catch (problem) {
    if (!(problem instanceof EventTooLargeError)) throw problem;
    turn.run = before.run;
    turn.texts.length = before.texts;
    turn.tree.happened = turn.tree.happened.filter((one, at) => at < before.happened || one !== turn);
    failRun(turn, runError('event_too_large', problem.message));
    return true;
  }
}

/** The next thing that happens in this run, or false when it can only wait. */
function step(turn: Turn): boolean {
  const { run } = turn;
  if (isEnded(run)) return false;
  if (breachDuration(turn)) return true;
  if (isHeld(turn)) return false;
  for (const nodeId of run.active) {
    const state = run.nodes[nodeId];
    if (state !== undefined && proceed(turn, nodeId, state)) return true;
  }
  if (run.phase.kind === 'draining') {
    if (run.active.length > 0) return false;
    const { reason, by } = run.phase;
    emit(turn, 'run.paused', { ...(reason && { reason }), ...(by && { by }) });
    return true;
  }
  if (startNext(turn)) return true;
  if (run.active.length > 0) return false;
  const goal = goalOf(run);
  emit(turn, 'run.completed', goal ? { goal } : {});
  return true;
}

/** A paused run holds everything below it. */
export function isHeld(turn: Turn): boolean {
  for (let at: Turn | undefined = turn; at !== undefined; at = parentTurn(at)) {
    if (at.run.phase.kind === 'paused') return true;
  }
  return false;
}

function startNext(turn: Turn): boolean {
  for (const node of turn.plan.order) {
    const ready = readiness(turn, node);
    if (ready === 'wait') continue;
    if (ready === 'start') startNode(turn, node);
    else if (ready === 'skip')
      emit(turn, 'node.skipped', { nodeId: node.id, reason: 'not-triggered' }, node.id);
    else
      failRun(
        turn,
        runError('expression_failed', `A condition before node "${node.id}": ${ready.broken}`),
        node.id,
      );
    return true;
  }
  return false;
}

function proceed(turn: Turn, nodeId: string, state: NodeState): boolean {
  const node = turn.plan.nodes.get(nodeId);
  const { now } = turn.tree.world;
  if (node === undefined) return false;
  if (state.status === 'retrying') {
    if (state.until > now) return false;
    startNode(turn, node);
    return true;
  }
  if (state.status !== 'running') return false;
  if (state.deadline !== undefined && state.deadline <= now) {
    timeOut(turn, node, state);
    return true;
  }
  switch (state.wait.for) {
    case 'time':
      if (state.wait.until > now) return false;
      completeNode(turn, nodeId);
      return true;
    case 'answer': {
      const open = turn.run.interrupts[state.wait.key];
      if (open?.expiresAt === undefined || open.expiresAt > now) return false;
      expireInterrupt(turn, open);
      return true;
    }
    case 'effect':
      return turn.run.fork?.mode === 'replay' && serveFromSource(turn, node, state);
    case 'nothing':
    case 'child':
    case 'workers':
      return node.type.proceed?.(turn, nodeId) ?? false;
  }
}

/** What the node was waiting for is called off first, so that no answer and no child can come too late. */
function timeOut(turn: Turn, node: PlanNode, state: Extract<NodeState, { status: 'running' }>): void {
  stopChild(turn, node.id);
  if (state.wait.for === 'answer') withdrawInterrupt(turn, state.wait.key);
  failNode(turn, node, runError('node_timeout', `Node "${node.id}" did not finish in time.`));
}
