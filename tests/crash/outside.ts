import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scenario } from '../models/wire/scenario.ts';
import { startWireServer, type WireRequest } from '../models/wire-server.ts';
import type { Watch } from './watched-run.ts';

/**
 * A model and two tools that outlive every host. They note each request that they receive, and they answer it
 * only while the run that sent it has not come to the event at which its host is to be killed.
 */
export interface Outside {
  readonly modelURL: string;
  readonly toolURL: string;
  readonly received: Received[];
  close(): Promise<void>;
}

interface Received {
  readonly to: 'model' | 'read' | 'send';
  /** The key of the effect, which begins with the id of the run. */
  readonly key: string;
  /** Which process of the host sent it, from 0. */
  readonly life: number;
}

/** Three model calls, the first two of which ask for a tool. */
const ANSWERS: readonly Scenario[] = [
  { reasoning: 'I read first.', calls: [{ id: 'c1', name: 'http_read', input: '{}' }] },
  { reasoning: 'Now I send it.', calls: [{ id: 'c2', name: 'http_send', input: '{"text":"hello"}' }] },
  { text: 'All is sent.' },
];

export async function startOutside(life: () => number, watchOf: (runId: string) => Watch): Promise<Outside> {
  const received: Received[] = [];

  /** Resolves when the request may be answered: at once, or never. */
  async function take(to: Received['to'], headers: WireRequest['headers']): Promise<void> {
    const key = String(headers['idempotency-key']);
    received.push({ to, key, life: life() });
    await watchOf(key.split('/')[0] ?? '').mayAnswer(key);
  }

  const wire = await startWireServer(async ({ headers, body }) => {
    await take('model', headers);
    const said = (body.messages as readonly { role: string }[]).filter(({ role }) => role === 'assistant');
    return ANSWERS[said.length] ?? {};
  });
  const tools = createServer(async ({ url, headers }, response) => {
    const to = url === '/send' ? 'send' : 'read';
    await take(to, headers);
    response.end(to === 'send' ? 'sent' : 'read');
  });
  tools.listen(0, '127.0.0.1');
  await once(tools, 'listening');
  return {
    modelURL: wire.baseURL(),
    toolURL: `http://127.0.0.1:${(tools.address() as AddressInfo).port}`,
    received,
    async close() {
      tools.closeAllConnections();
      tools.close();
      await wire.close();
    },
  };
}
