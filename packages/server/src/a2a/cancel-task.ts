import type { Task } from '@a2a-js/sdk';
import { isTerminal } from '@baton/protocol';
import { requireScope } from '../auth/bearer.ts';
import { refusal } from '../http/errors.ts';
import type { A2aCall } from './call.ts';
import { requireId } from './message.ts';
import { readTask, rowOfTask } from './read-tasks.ts';
import { notCancelable } from './refusals.ts';
import { handoffReplyKey } from './start-task.ts';

export async function cancelTask(call: A2aCall, asked: string): Promise<Task> {
  const { host, identity } = call;
  requireScope(identity, 'runs:cancel');
  const id = requireId(asked, 'id');
  const { runId, status } = await rowOfTask(call, (await runOfHandoff(call, id)) ?? id);
  if (isTerminal(status)) throw notCancelable(runId);
  const { tenant, principal } = identity;
  const outcome = await host.engine.execute({
    kind: 'cancel-run',
    caller: { tenant, principal },
    runId,
    reason: 'cancelled over A2A',
  });
  if (!outcome.ok) throw refusal(outcome.error);
  return (await readTask(call, runId)).task;
}

/**
 * A peer that has lost the answer to its message does not know the id of the task. It names the idempotency key of the
 * handoff instead.
 */
async function runOfHandoff({ host, identity }: A2aCall, key: string): Promise<string | undefined> {
  if (identity.peer === undefined) return undefined;
  const { tenant, principal } = identity;
  const remembered = await host.reads.replyFor(tenant, principal, handoffReplyKey(key));
  return remembered && (JSON.parse(remembered.reply) as { readonly runId: string }).runId;
}
