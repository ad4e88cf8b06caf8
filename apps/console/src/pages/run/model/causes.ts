import type { RunEvent } from '@baton/client';
import type { RunTrack, Tree } from './tree.ts';

/**
 * The events that caused an event: the one that the log names, the event that it answers, and the last event of a child
 * that it tells of. An event of a node that names no cause was caused by the start of the node, and the end of a run by
 * the event before it.
 */
export function causesOf(tree: Tree, run: RunTrack, event: RunEvent): readonly number[] {
  const causes = new Set<number>();
  const add = (position: number | undefined): void => {
    if (position !== undefined) causes.add(position);
  };
  if (event.causationId !== undefined) add(tree.byId.get(event.causationId));
  add(lastOf(tree, childThatEnded(event)));
  add(answered(tree, run, event));
  if (causes.size === 0 && event.type !== 'node.started') add(startOfNode(tree, run, event));
  if (causes.size === 0 && endsRun(event)) add(run.positions.at(-1));
  return [...causes];
}

function endsRun({ type }: RunEvent): boolean {
  return type === 'run.completed' || type === 'run.failed';
}

function lastOf(tree: Tree, runId: string | undefined): number | undefined {
  return runId === undefined ? undefined : tree.runs.get(runId)?.positions.at(-1);
}

function childThatEnded(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'core.workflowChain.event':
      return event.payload.phase.startsWith('child.') ? event.payload.childRunId : undefined;
    case 'baton.worker.settled':
    case 'baton.child.ended':
      return event.payload.childRunId;
    default:
      return undefined;
  }
}

/** The name under which the event that is answered is remembered, such as the intent of an effect. */
export function questionKey(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'baton.effect.intended':
    case 'baton.effect.settled':
    case 'baton.effect.retried':
      return `effect:${event.payload.nodeId}:${event.payload.step}`;
    case 'agent.toolCalled':
    case 'agent.toolReturned':
      return `call:${event.payload.callId}`;
    case 'agent.invocation.started':
    case 'agent.invocation.completed':
      return `invocation:${event.payload.invocationId}`;
    case 'interrupt.requested':
      return `question:${event.payload.key}`;
    case 'interrupt.resolved':
      return `question:${event.payload.interruptId}`;
    default:
      return undefined;
  }
}

function answered(tree: Tree, run: RunTrack, event: RunEvent): number | undefined {
  const key = questionKey(event);
  if (key === undefined) return undefined;
  return tree.open.get(`${run.runId}|${key}`)?.from;
}

function startOfNode(tree: Tree, run: RunTrack, { nodeId }: RunEvent): number | undefined {
  return nodeId === undefined ? undefined : tree.open.get(`${run.runId}|node:${nodeId}`)?.from;
}

/** How many events a highlight shows at most in one direction. */
const MOST_LIT = 300;

export interface Lit {
  readonly position: number;
  readonly causes: ReadonlySet<number>;
  readonly effects: ReadonlySet<number>;
}

/** An event, the whole chain of its causes, and what it caused itself. */
export function litBy(tree: Tree, position: number): Lit {
  const causes = new Set<number>();
  const left = [...(tree.entries[position]?.causes ?? [])];
  while (left.length > 0 && causes.size < MOST_LIT) {
    const next = left.pop();
    if (next === undefined || causes.has(next)) continue;
    causes.add(next);
    left.push(...(tree.entries[next]?.causes ?? []));
  }
  return { position, causes, effects: new Set(tree.effects.get(position)?.slice(0, MOST_LIT)) };
}
