import { type JsonObject, problemWith, type RunErrorCode, remoteWorker } from '@baton/protocol';
import { effectKey } from '../../kernel/effect-key.ts';
import { effectSteps, isPending, type Run } from '../../kernel/run.ts';
import type { RemoteCancel } from '../../ports/peers/remote-cancels.ts';
import { PEER_CHECK, PEER_SEND, SentWork } from '../../ports/peers/remote-effects.ts';
import { REMOTE_NODE } from './remote-definition.ts';

/** The work that goes on at another host after its run has ended here. */

/** The errors of a run whose work has ended at the other host too. */
const OVER_THERE: ReadonlySet<string> = new Set<RunErrorCode>([
  'child_failed',
  'child_cancelled',
  'remote_run_lost',
]);

/**
 * The work of a run that has ended without a result. `before` is the last stored state in which the run had not ended:
 * only stored effects are performed. A replay has sent nothing.
 */
export function leftWork(before: Run, after: Pick<Run, 'phase'>, at: number): RemoteCancel | undefined {
  const { phase } = after;
  if (before.phase.kind === 'ended' || phase.kind !== 'ended' || phase.status === 'completed')
    return undefined;
  if (before.fork?.mode === 'replay' || OVER_THERE.has(phase.error?.code ?? '')) return undefined;
  for (const nodeId of before.active) {
    if (before.nodes[nodeId]?.typeId !== REMOTE_NODE) continue;
    const task = taskOf(before, nodeId);
    if (task !== undefined) return { runId: before.runId, at, ...task };
  }
  return undefined;
}

function taskOf(run: Run, nodeId: string): Omit<RemoteCancel, 'runId' | 'at'> | undefined {
  const steps = effectSteps(run, nodeId);
  const check = steps.findLast(({ effect }) => effect.kind === PEER_CHECK)?.effect.request as
    | { readonly peer: string; readonly taskId: string; readonly lastId: string }
    | undefined;
  // A branch may wait for the task that its source has begun. The task belongs to the source.
  if (check)
    return check.lastId.startsWith(`${run.runId}:`) ? named(check.peer, 'id', check.taskId) : undefined;
  const sent = steps.findLast((one) => one.effect.kind === PEER_SEND && isPending(one));
  const { execution = 1, attempt = 1 } = run.nodes[nodeId] ?? {};
  if (sent === undefined) return undefined;
  const request = sent.effect.request as { readonly peer: string; readonly repeatable: boolean };
  // An agent of another kind does not know the key of a message. If its answer comes, it names the task.
  if (!request.repeatable) return undefined;
  return named(request.peer, 'key', effectKey(run, { nodeId, execution, attempt, step: sent.step }));
}

function named(peer: string, namedBy: RemoteCancel['namedBy'], task: string) {
  return { peer, namedBy, task };
}

/** The work that an answer of the other host names, when the answer came after the run had ended without a result. */
export function lateWork(
  { runId, workflowId, phase }: Pick<Run, 'runId' | 'workflowId' | 'phase'>,
  outputs: JsonObject,
  at: number,
): RemoteCancel | undefined {
  const worker = remoteWorker(workflowId);
  if (worker === undefined || phase.kind !== 'ended' || phase.status === 'completed') return undefined;
  if (problemWith(SentWork, outputs) !== undefined) return undefined;
  const { taskId, outputs: result } = outputs as unknown as SentWork;
  if (taskId === undefined || result !== undefined) return undefined;
  return { runId, at, ...named(worker.peer, 'id', taskId) };
}
