import { createHash } from 'node:crypto';
import type { Message } from '@a2a-js/sdk';
import {
  APPROVAL_ACTIONS,
  BatonError,
  isJsonObject,
  isTerminal,
  type Json,
  type JsonObject,
} from '@baton/protocol';
import { requireScope } from '../auth/bearer.ts';
import { refusal } from '../http/errors.ts';
import { answerOf } from '../published/answers.ts';
import type { OpenQuestion } from '../published/open-question.ts';
import type { A2aCall } from './call.ts';
import { type Content, contentOf } from './message.ts';
import { readTask } from './read-tasks.ts';
import { malformed, unsupported } from './refusals.ts';
import { contextOf } from './task.ts';

/** A message to a task that waits: the answer to the open interrupt that the task shows. */

export async function answerTask(call: A2aCall, message: Message): Promise<void> {
  const { host, identity } = call;
  const { taskId, contextId, messageId } = message;
  const { question, row } = await readTask(call, taskId);
  if (contextId !== '' && contextId !== contextOf(row)) {
    throw malformed('message.contextId is not the context of the task; leave it out.');
  }
  if (isTerminal(row.status)) throw unsupported('The task has ended; send a message without taskId.');
  requireScope(identity, 'approvals:respond');
  const content = contentOf(message);
  if (question === undefined) {
    throw unsupported(`The task does not wait for an answer; it is ${row.status}.`);
  }
  const { tenant, principal, scopes } = identity;
  const outcome = await host.engine.execute({
    kind: 'resolve-interrupt',
    caller: { tenant, principal },
    runId: question.runId,
    target: { interruptId: question.interruptId },
    resumeValue: answerFor(question, content),
    viaToken: false,
    scopes: [...scopes],
    idempotency: {
      key: `a2a:${digestOf(['answer', messageId])}`,
      request: digestOf([taskId, content as Json]),
    },
  });
  if (!outcome.ok) throw refusal(outcome.error);
}

function answerFor({ kind, data }: Pick<OpenQuestion, 'kind' | 'data'>, content: Content): JsonObject {
  switch (kind) {
    case 'approval':
    case 'low-confidence':
      return answerOf(kind, content.data ?? { action: actionIn(content.text) });
    case 'clarification':
      return clarification(data, content);
    case 'external-event':
    case 'custom':
      if (content.data !== undefined) return answerOf(kind, content.data);
      throw new BatonError('validation_error', 'Send the answer as a data part.', { field: 'message.parts' });
  }
}

function actionIn(text: string | undefined): string {
  const word = text?.trim().toLowerCase();
  const action = APPROVAL_ACTIONS.find((known) => known === word);
  if (action !== undefined) return action;
  throw new BatonError(
    'validation_error',
    `Send a data part such as {"action": "accept"}, or one of these words as text: ${APPROVAL_ACTIONS.join(', ')}.`,
    { field: 'message.parts' },
  );
}

/** A data part holds the answers by the ids of the questions. A text answers the only question. */
function clarification(asked: Json, { data, text }: Content): JsonObject {
  if (data !== undefined) return answerOf('clarification', data);
  const questions = isJsonObject(asked) && Array.isArray(asked.questions) ? asked.questions : [];
  const [only, ...others] = questions.map((question) => (isJsonObject(question) ? question.id : undefined));
  if (typeof only === 'string' && others.length === 0 && text !== undefined)
    return { answers: { [only]: text } };
  throw new BatonError('validation_error', 'Send a data part with one answer for the id of each question.', {
    field: 'message.parts',
  });
}

function digestOf(parts: Json): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
