import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard, type Message, Role, type Task, TaskState } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { text, type WIRE_VERSIONS } from '../a2a/a2a-client.ts';

type WireVersion = (typeof WIRE_VERSIONS)[number];

/** An agent of another vendor, built with the official library: it knows nothing of handoffs and host ids. */
export interface VendorAgent {
  readonly url: string;
  /** The texts that it was sent, in their order. */
  readonly heard: readonly string[];
  /** The `traceparent` of each request, in their order. */
  readonly traces: readonly (string | undefined)[];
  close(): void;
}

export async function startVendorAgent(version: WireVersion): Promise<VendorAgent> {
  const heard: string[] = [];
  const traces: (string | undefined)[] = [];
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const card = cardOf(url, version);
  const operations = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor(heard));
  const handler =
    version === '1.0'
      ? new JsonRpcTransportHandler(operations)
      : new LegacyJsonRpcTransportHandler(operations);
  server.on('request', async (request, response) => {
    response.setHeader('content-type', 'application/json');
    traces.push(request.headers.traceparent?.toString());
    if (request.method === 'GET') return response.end(JSON.stringify(AgentCard.toJSON(card)));
    const context = new ServerCallContext({ requestedVersion: version });
    return response.end(JSON.stringify(await handler.handle(JSON.parse(await bodyOf(request)), context)));
  });
  return {
    url,
    heard,
    traces,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function cardOf(url: string, protocolVersion: WireVersion): AgentCard {
  return {
    name: 'Vendor',
    description: 'An agent of another vendor.',
    version: '1',
    provider: undefined,
    supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion }],
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  };
}

/** Does as it is told: `ask` asks back, `fail` fails, `reply` answers without a task, everything else is shouted. */
function executor(heard: string[]): AgentExecutor {
  return {
    async execute({ taskId, contextId, userMessage, task: known }, bus) {
      const told = wordsOf(userMessage);
      heard.push(told);
      const said = (words: string): Message => ({
        messageId: `m-${heard.length}`,
        contextId,
        taskId,
        role: Role.ROLE_AGENT,
        parts: [text(words)],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      });
      const task = (state: TaskState, words?: string, artifacts: Task['artifacts'] = []): Task => ({
        id: taskId,
        contextId,
        status: { state, message: words === undefined ? undefined : said(words), timestamp: undefined },
        artifacts,
        history: [],
        metadata: undefined,
      });
      if (told === 'reply') bus.publish(AgentEvent.message({ ...said('At once.'), taskId: '' }));
      else if (told === 'fail')
        bus.publish(AgentEvent.task(task(TaskState.TASK_STATE_FAILED, 'No paper left.')));
      else if (told === 'ask' && known === undefined) {
        bus.publish(AgentEvent.task(task(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which colour?')));
      } else {
        const artifact = {
          artifactId: 'result',
          name: '',
          description: '',
          parts: [text(told.toUpperCase())],
          metadata: undefined,
          extensions: [],
        };
        bus.publish(AgentEvent.task(task(TaskState.TASK_STATE_COMPLETED, undefined, [artifact])));
      }
      bus.finished();
    },
    async cancelTask() {
      throw new Error('this agent does nothing for long');
    },
  };
}

function wordsOf({ parts }: Message): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join();
}
