import { randomUUID } from 'node:crypto';
import { type Message, type Part, Role, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { OPERATOR_KEY } from '../http/host.ts';

/** The official client of A2A, as a caller with an API key, and messages for it. */

export const WIRE_VERSIONS = ['1.0', '0.3'] as const;
type WireVersion = (typeof WIRE_VERSIONS)[number];

export async function a2aClient(
  url: string,
  { key = OPERATOR_KEY as string | (() => string), version = '1.0' as WireVersion } = {},
): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${typeof key === 'string' ? key : key()}`);
    return fetch(input, { ...init, headers });
  };
  const legacyCompat = { enabled: true };
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
    cardResolver,
  });
  const card = await cardResolver.resolve(url);
  const supportedInterfaces = card.supportedInterfaces.filter((one) => one.protocolVersion === version);
  return factory.createFromAgentCard({ ...card, supportedInterfaces });
}

export const text = (value: string): Part => part({ $case: 'text', value });
export const data = (value: unknown): Part => part({ $case: 'data', value });

export function part(content: Part['content']): Part {
  return { content, metadata: undefined, filename: '', mediaType: '' };
}

export function message(parts: readonly Part[], more: Partial<Message> = {}): Message {
  return {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  };
}

interface SendOptions {
  readonly returnImmediately?: boolean;
  readonly historyLength?: number;
  readonly push?: { readonly url: string; readonly token?: string };
}

export function sending(
  given: Message,
  { returnImmediately = false, historyLength, push }: SendOptions = {},
): SendMessageRequest {
  return {
    tenant: '',
    message: given,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: push && {
        tenant: '',
        id: '',
        taskId: '',
        url: push.url,
        token: push.token ?? '',
        authentication: undefined,
      },
      returnImmediately,
      historyLength,
    },
    metadata: undefined,
  };
}

/** Sends a message that asks for a skill, and returns the task. */
export async function sendTo(
  client: Client,
  skillId: string,
  parts: readonly Part[],
  options?: SendOptions,
): Promise<Task> {
  return taskIn(await client.sendMessage(sending(message(parts, { metadata: { skillId } }), options)));
}

export function taskIn(result: Message | Task): Task {
  if ('messageId' in result) throw new Error('the host answered with a message');
  return result;
}

/** The outputs in the artifact of a task that has ended. */
export function outputsOf({ artifacts }: Task): unknown {
  const content = artifacts[0]?.parts[0]?.content;
  return content?.$case === 'data' ? content.value : undefined;
}
