import { Agent, request } from 'node:http';
import { expect, it } from 'vitest';
import { OPERATOR_KEY, startTestHost, type TestHost } from './host.ts';
import { openRaw, requestText } from './raw-sockets.ts';

/** What becomes of requests that a host has received when it is told to stop. */

const HEALTH = requestText('GET', '/healthz', OPERATOR_KEY);
const LIST = requestText('GET', '/v1/runs', OPERATOR_KEY);

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Connections that have carried one request, and are idle. */
async function idleConnections(host: TestHost, count: number) {
  const opened = await Promise.all(Array.from({ length: count }, () => openRaw(host, HEALTH)));
  await Promise.all(opened.map((connection) => connection.has('"ok"')));
  return opened;
}

function answersIn(text: string): readonly string[] {
  return text.split(/(?=HTTP\/1\.1 )/);
}

it('answers requests that were sent and not read before it was told to stop', async () => {
  const host = await startTestHost();
  const connections = await idleConnections(host, 100);
  for (const { socket } of connections) socket.write(LIST);
  await host.stop();
  for (const { received } of connections) {
    const [first, second = ''] = answersIn(received());
    expect(first).toMatch(/^HTTP\/1\.1 200/);
    expect(second).toMatch(/^HTTP\/1\.1 200[\s\S]*"runs":\[\]/);
  }
});

it('answers a request that arrives on an open connection while it stops', async () => {
  const host = await startTestHost();
  const [connection] = await idleConnections(host, 1);
  const stopped = host.stop();
  for (let turns = 0; turns < 5; turns += 1) await turn();
  connection?.socket.write(LIST);
  await stopped;
  expect(answersIn(connection?.received() ?? '')[1]).toMatch(/^HTTP\/1\.1 200[\s\S]*connection: close/i);
});

it('does not wait for clients that keep their connections open', async () => {
  const host = await startTestHost();
  const connections = [...(await idleConnections(host, 5)), await openRaw(host)];
  await host.stop();
  await Promise.all(connections.map(({ cut }) => cut));
  expect(connections.map(({ received }) => answersIn(received()).length)).toEqual([1, 1, 1, 1, 1, 1]);
});

/** Sends a request over a connection of the agent. Returns the status, or the code of the error. */
function ask(host: TestHost, agent: Agent, method: string, path: string, body = ''): Promise<string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' };
    const sent = request(`${host.url}${path}`, { agent, method, headers }, (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)));
    });
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end(body);
  });
}

it('answers busy clients until they cannot connect any more', async () => {
  const host = await startTestHost();
  const agent = new Agent({ keepAlive: true, maxSockets: 40 });
  const outcomes = new Map<string, number>();
  const busy = Array.from({ length: 40 }, async (_, client) => {
    const [method, path, body] =
      client % 2 === 0 ? ['GET', '/v1/runs'] : ['POST', '/v1/runs', '{"workflowId":"quick"}'];
    for (let outcome = ''; outcome !== 'ECONNREFUSED'; ) {
      outcome = await ask(host, agent, method ?? '', path ?? '', body);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect(['200', '201', 'ECONNREFUSED']).toContain(outcome);
    }
  });
  while ((outcomes.get('201') ?? 0) < 100) await turn();
  await host.stop();
  await Promise.all(busy);
  agent.destroy();
  expect(outcomes.get('ECONNREFUSED')).toBe(40);
});
