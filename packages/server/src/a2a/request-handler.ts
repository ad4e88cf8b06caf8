import type { Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { ExtendedAgentCardNotConfiguredError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { isTerminal } from '@baton/protocol';
import { requireScope } from '../auth/bearer.ts';
import { refusal } from '../http/errors.ts';
import { answerTask } from './answer-task.ts';
import type { A2aCall } from './call.ts';
import { followTask, hasEnded, waitForTask } from './follow-task.ts';
import { withHistory } from './history.ts';
import { listTasks } from './list-tasks.ts';
import { requireId, requireMessage } from './message.ts';
import { judgedConfig, pushOperationsFor, putConfig } from './push/push-operations.ts';
import { readTask, rowOfTask } from './read-tasks.ts';
import { notCancelable, unsupported } from './refusals.ts';
import { handoffReplyKey, type StartedTask, startTask } from './start-task.ts';

/** The operations of A2A over runs. The SDK reads the requests and writes the answers in both versions. */

/** How long a message without `returnImmediately` waits for the end of its task. */
const WAIT_MS = 60_000;

type Operations = Omit<A2ARequestHandler, 'getAgentCard'>;

export function operationsFor(call: A2aCall): Operations {
  return {
    ...pushOperationsFor(call),
    getAuthenticatedExtendedAgentCard: async () => {
      throw new ExtendedAgentCardNotConfiguredError();
    },
    sendMessage: (asked) => sendMessage(call, asked),
    sendMessageStream: (asked) => streamMessage(call, asked),
    getTask: async ({ id, historyLength }) =>
      withHistory(call, (await readTask(call, requireId(id, 'id'))).task, historyLength),
    listTasks: (asked) => listTasks(call, asked),
    cancelTask: ({ id }) => cancelTask(call, id),
    async *resubscribe({ id }) {
      const { task } = await readTask(call, requireId(id, 'id'));
      if (hasEnded(task)) throw unsupported('The task has ended; read it with GetTask.');
      yield* followTask(call, task.id, 'ended');
    },
  };
}

async function sendMessage(call: A2aCall, asked: SendMessageRequest): Promise<Task> {
  const started = await takeMessage(call, asked);
  if ('rejected' in started) return started.rejected;
  const { runId } = started;
  const { returnImmediately = false, historyLength } = asked.configuration ?? {};
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(WAIT_MS)]);
  const task = returnImmediately
    ? (await readTask(call, runId)).task
    : await waitForTask({ ...call, signal }, runId);
  return withHistory(call, task, historyLength);
}

async function* streamMessage(
  call: A2aCall,
  asked: SendMessageRequest,
): AsyncGenerator<StreamResponse, void, undefined> {
  const started = await takeMessage(call, asked);
  if ('rejected' in started) yield { payload: { $case: 'task', value: started.rejected } };
  else yield* followTask(call, started.runId, 'ended-or-asking', asked.configuration?.historyLength);
}

/** A message to a task answers its question. Any other message starts a task. */
async function takeMessage(call: A2aCall, asked: SendMessageRequest): Promise<StartedTask> {
  const message = requireMessage(asked.message);
  const config = asked.configuration?.taskPushNotificationConfig;
  // A push to a forbidden address is refused before anything is started.
  const push = config && (await judgedConfig(call, config));
  const taken = await taskFor(call, message);
  if (push && 'runId' in taken) await putConfig(call, taken.runId, push);
  return taken;
}

async function taskFor(call: A2aCall, message: Message): Promise<StartedTask> {
  if (message.taskId === '') return startTask(call, message);
  await answerTask(call, message);
  return { runId: message.taskId };
}

async function cancelTask(call: A2aCall, asked: string): Promise<Task> {
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
