import { type Message, type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import type { Effect, Peer, SendRequest } from '@baton/engine/ports';
import { digest, HANDOFF_EXTENSION, type HandoffMetadata, isJsonObject, type Json } from '@baton/protocol';
import { pushSecret } from './push-secret.ts';

/** The messages with which a host hands work to others. */

export interface Sender {
  /** Known once the store is open. */
  readonly hostId: () => string;
  /** Where peers report the end of their work to this host. Absent: they are only asked. */
  readonly pushUrl: (runId: string) => string | undefined;
  /** The key from which the secrets of pushed reports are derived. */
  readonly pushKey: Buffer;
}

interface Work extends Sender {
  readonly peer: Peer;
  readonly effect: Effect;
  readonly request: SendRequest;
  readonly traceparent: string;
}

/** The same work always has the same message, so that a peer recognises a message that is sent again. */
export function workMessage(work: Work): SendMessageRequest {
  const { peer, effect, request } = work;
  const { worker, inputs } = request;
  const messageId = messageIdOf(request.key ?? effect.key);
  if (peer.kind === 'a2a') {
    const message = { ...emptyMessage(messageId), parts: [partOf(inputs)], metadata: { skillId: worker } };
    return { ...NOT_WAITING, message };
  }
  const push = pushOf(work);
  return {
    ...NOT_WAITING,
    configuration: { ...NOT_WAITING.configuration, taskPushNotificationConfig: push },
    message: {
      ...emptyMessage(messageId),
      parts: [dataOf(inputs)],
      extensions: [HANDOFF_EXTENSION],
      metadata: { [HANDOFF_EXTENSION]: factsOf(work, messageId) },
    },
  };
}

function factsOf({ effect, request, hostId, traceparent }: Work, idempotencyKey: string): HandoffMetadata {
  const { worker, causationId, lineage } = request;
  const causationHostId = hostId();
  return {
    worker,
    parentRunId: effect.runId,
    causationId,
    causationHostId,
    idempotencyKey,
    lineage: lineage.map((entry) => (entry.startsWith('@') ? entry : `@${causationHostId}/${entry}`)),
    traceparent,
  };
}

function pushOf({ effect: { runId }, pushUrl, pushKey }: Work) {
  const url = pushUrl(runId);
  if (url === undefined) return undefined;
  const token = pushSecret(pushKey, runId);
  return { tenant: '', id: 'end', taskId: '', url, token, authentication: undefined };
}

/** The answer of a person to a question of the peer. */
export function answerMessage(key: string, taskId: string, answer: Json): SendMessageRequest {
  return { ...NOT_WAITING, message: { ...emptyMessage(key), taskId, parts: [partOf(answer)] } };
}

const NOT_WAITING = {
  tenant: '',
  metadata: undefined,
  configuration: {
    acceptedOutputModes: ['application/json', 'text/plain'],
    taskPushNotificationConfig: undefined,
    returnImmediately: true,
    historyLength: 0,
  },
};

function emptyMessage(messageId: string): Message {
  return {
    messageId,
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

const PLAIN = { metadata: undefined, filename: '' };

function dataOf(value: Json | Readonly<Record<string, Json>>): Part {
  return { ...PLAIN, content: { $case: 'data', value }, mediaType: 'application/json' };
}

/** A text, or an object with one text, is sent as text, because many agents read nothing else. */
function partOf(value: Json | Readonly<Record<string, Json>>): Part {
  const values = isJsonObject(value) ? Object.values(value) : [value];
  const [text] = values;
  if (values.length !== 1 || typeof text !== 'string') return dataOf(value);
  return { ...PLAIN, content: { $case: 'text', value: text }, mediaType: 'text/plain' };
}

/** The id of the message that an effect sends. It is also the idempotency key of a handoff. */
export function messageIdOf(effectKey: string): string {
  return digest(effectKey);
}
