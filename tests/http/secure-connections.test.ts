import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { AUTHORITY } from '../peers/certificates.ts';
import { secureHost } from '../peers/secure-hosts.ts';
import { OPERATOR_KEY, type TestHost } from './host.ts';
import { openRaw, requestText } from './raw-sockets.ts';

/** The rules for connections hold with TLS too, from the moment when a connection is accepted. */

interface Secure {
  readonly socket: TLSSocket;
  has(text: string): Promise<void>;
  readonly closed: Promise<void>;
}

async function openSecure(host: TestHost, sent = ''): Promise<Secure> {
  const { hostname, port } = new URL(host.url);
  const socket = connect({ host: hostname, port: Number(port), ca: AUTHORITY });
  onTestFinished(() => void socket.destroy());
  let text = '';
  const looking = new Set<() => void>();
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      text += chunk;
      for (const look of looking) look();
    });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await Promise.race([closed, new Promise<void>((resolve) => socket.once('secureConnect', () => resolve()))]);
  if (sent !== '') socket.write(sent);
  return {
    socket,
    closed,
    has: (part) =>
      new Promise((resolve) => {
        const look = () => {
          if (text.includes(part)) resolve();
        };
        looking.add(look);
        look();
      }),
  };
}

const HEALTH = requestText('GET', '/healthz', 'none');
const streamOf = (runId: string) =>
  requestText('GET', `/v1/runs/${runId}/events`, OPERATOR_KEY, 'Accept: text/event-stream\r\n');

async function waitingRun(host: TestHost): Promise<string> {
  return (await host.post('/v1/runs', { workflowId: 'ask' })).body.runId;
}

it('the connection that has waited longest makes room, and none with a request under way', async () => {
  const host = await secureHost({ maxConnections: 4 });
  const stream = await openSecure(host, streamOf(await waitingRun(host)));
  await stream.has('run.started');
  const silent = await openSecure(host);
  const unfinished = await openRaw(host);
  // One of the four is that of the client of the test.
  const health = await openSecure(host, HEALTH);
  await health.has('"ok"');
  const more = [await openSecure(host, HEALTH), await openSecure(host, HEALTH)];
  for (const connection of more) await connection.has('"ok"');
  await silent.closed;
  await unfinished.cut;
  expect(isOpen(stream.socket)).toBe(true);
});

it('a connection whose handshake is not completed counts against the bound of its address', async () => {
  const host = await secureHost({ maxConnectionsPerAddress: 2 });
  const unfinished = [await openRaw(host), await openRaw(host)];
  await (await openSecure(host, HEALTH)).closed;
  for (const { socket } of unfinished) socket.destroy();
  for (;;) {
    const next = await openSecure(host, HEALTH);
    const answered = await Promise.race([next.closed.then(() => false), next.has('"ok"').then(() => true)]);
    if (answered) break;
  }
  expect(unfinished.map(({ socket }) => isOpen(socket))).toEqual([false, false]);
});

it('a host that stops answers the requests that it was sent, and waits for nobody else', async () => {
  const host = await secureHost({ patience: { stopMs: 60_000 } });
  const used = await openSecure(host, HEALTH);
  await used.has('"ok"');
  const unused = await openSecure(host);
  const unfinished = [await openRaw(host), await openRaw(host, '\x16\x03\x01')];
  used.socket.write(requestText('GET', '/v1/runs', OPERATOR_KEY));
  const stopped = host.stop();
  await used.has('"runs":[]');
  await stopped;
  await Promise.all([used.closed, unused.closed, ...unfinished.map(({ cut }) => cut)]);
  expect(isOpen(used.socket)).toBe(false);
});

it('a caller that speaks no TLS is not answered', async () => {
  const host = await secureHost();
  const plain = await openRaw(host, HEALTH);
  await plain.cut;
  expect(plain.received()).not.toContain('HTTP');
  expect((await host.get('/healthz', { key: null })).status).toBe(200);
});

function isOpen(socket: Socket): boolean {
  return !socket.closed && !socket.destroyed;
}
