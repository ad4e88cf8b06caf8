import { createHash } from 'node:crypto';
import { StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import type { TaskPush } from '@baton/engine/ports';
import type { HostContext } from '../../http/context.ts';
import type { OpenQuestion } from '../../published/open-question.ts';
import { isShownTo } from '../../published/shown-runs.ts';
import { traceOfMessages } from '../../webhooks/traces-of-runs.ts';
import { hasEnded } from '../follow-task.ts';
import { readTask } from '../read-tasks.ts';
import type { PushMessage } from './push-sender.ts';

/** The state of a task as it is sent to the receiver of a push. */

/** `undefined` while the task works: only its end and its questions are sent. */
export async function pushMessage(
  host: HostContext,
  push: TaskPush,
): Promise<PushMessage | 'gone' | undefined> {
  const { tenant, runId, version } = push;
  // The receiver is given no link that answers a question, because it has no scopes.
  const identity = { keyId: 'push', tenant, principal: 'push', scopes: new Set<never>() };
  const row = await host.reads.run(tenant, runId);
  if (row === undefined || !isShownTo(identity, row)) return 'gone';
  const { task, question } = await readTask({ host, identity }, runId);
  const state = stateName(task, question);
  if (state === undefined) return undefined;
  const { body, contentType } = serialized(task, version);
  return {
    id: `push_${createHash('sha256').update(`${runId} ${state}`).digest('hex').slice(0, 32)}`,
    state,
    isLast: hasEnded(task),
    ...(question && { asking: question.runId }),
    body: host.telling.json(tenant, body),
    contentType,
    traceparent: await traceOfMessages(host.reads, tenant, runId),
  };
}

/** The same question has the same name, and the next one has another. */
function stateName(task: Task, question: OpenQuestion | undefined): string | undefined {
  if (hasEnded(task)) return 'ended';
  if (task.status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED || question === undefined) return undefined;
  const { runId, interruptId } = question;
  return runId === task.id ? `asks ${interruptId}` : `asks ${interruptId} in ${runId}`;
}

function serialized(task: Task, version: string): { readonly body: string; readonly contentType: string } {
  const response: StreamResponse = { payload: { $case: 'task', value: task } };
  if (version === '0.3') return new V03PushNotificationSerializer().serialize(response, task);
  return { body: JSON.stringify(StreamResponse.toJSON(response)), contentType: 'application/a2a+json' };
}
