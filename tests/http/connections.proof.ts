import { describe, expect, it, onTestFinished } from 'vitest';
import { ALL_SCOPES, OPERATOR_KEY, startTestHost, type TestHost } from './host.ts';
import { openRaw, requestText } from './raw-sockets.ts';

const QUICK = { headersMs: 60, requestMs: 120, readerMs: 60, lingerMs: 30, checkEveryMs: 20 };
const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
const BULK = { value: { type: 'variable', variableName: 'bulk' } };
const TENANTS = ['default', 'acme', 'globex'];
const KEYS = TENANTS.map((tenant) => ({ token: `key-of-${tenant}`, tenant, scopes: ALL_SCOPES }));

async function hostWith(settings: Parameters<typeof startTestHost>[0] = {}): Promise<TestHost> {
  const host = await startTestHost(settings, KEYS);
  onTestFinished(() => host.stop());
  return host;
}

const HEALTH = requestText('GET', '/healthz', 'none', 'Connection: close\r\n');
const RUNS = requestText('GET', '/v1/runs', OPERATOR_KEY, 'Connection: close\r\n');

describe('a connection is cut', () => {
  it.each([
    ['that sends nothing', '', '408'],
    ['that sends half a request', 'GET /healthz HTTP/1.1\r\nHo', '408'],
    [
      'whose body does not come',
      requestText(
        'POST',
        '/v1/runs',
        OPERATOR_KEY,
        'Content-Type: application/json\r\nContent-Length: 99\r\n',
      ),
      '408',
    ],
    ['that sends no HTTP', 'HELLO\r\n\r\n', '400'],
    ['whose headers are too large', `GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, '431'],
    ['whose chunks are wrong', `${requestText('POST', '/v1/runs', OPERATOR_KEY, CHUNKED)}zz\r\n`, '400'],
  ])('%s', async (_what, sent, status) => {
    const host = await hostWith({ patience: QUICK });
    const connection = await openRaw(host, sent);
    await connection.cut;
    expect(connection.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('that is idle after an answer, when it sends no HTTP', async () => {
    const host = await hostWith({ patience: QUICK });
    const connection = await openRaw(host, requestText('GET', '/healthz', 'none'));
    await connection.has('"ok"');
    connection.socket.write('HELLO\r\n\r\n');
    await connection.cut;
    expect(connection.received()).toContain('HTTP/1.1 400 ');
  });

  it('whose reader takes nothing of a stream', async () => {
    const nodes = Array.from({ length: 24 }, (_, i) => ({
      // Each write takes the place of the one before: the log grows, and what the run holds does not.
      id: `n${i}`,
      typeId: 'core.channelWrite',
      config: { channelName: 'bulk' },
      inputs: BULK,
    }));
    const edges = nodes.slice(1).map((node, i) => ({ sourceNodeId: `n${i}`, targetNodeId: node.id }));
    const gate = { id: 'gate', typeId: 'core.approvalGate', config: { title: 'Well?' } };
    const held = {
      id: 'held',
      nodes: [...nodes, gate],
      edges: [...edges, { sourceNodeId: 'n23', targetNodeId: 'gate' }],
      variables: [{ name: 'bulk', type: 'string' }],
    };
    const patience = { ...QUICK, readerMs: 8000 };
    const host = await hostWith({ patience, alwaysRefold: false, builtinWorkflows: [held] });
    const inputs = { bulk: 'x'.repeat(400_000) };
    const { body } = await host.post('/v1/runs', { workflowId: 'held', inputs });
    const accept = 'Accept: text/event-stream\r\n';
    const reading = await openRaw(
      host,
      requestText('GET', `/v1/runs/${body.runId}/events`, OPERATOR_KEY, accept),
    );
    await reading.has('"nodeId":"gate"');
    const stalled = await openRaw(host);
    stalled.socket.pause();
    stalled.socket.write(requestText('GET', `/v1/runs/${body.runId}/events`, OPERATOR_KEY, accept));
    // Both streams are there, and then only the one that is read.
    await until(async () => (await streamsOf(host)) === 2);
    await until(async () => (await streamsOf(host)) === 1);
    expect(reading.socket.closed).toBe(false);
  });
});

describe('when all connections are taken', () => {
  it('the one that has waited longest makes room', async () => {
    const host = await hostWith({ maxConnections: 3 });
    const silent = [await openRaw(host), await openRaw(host), await openRaw(host)];
    const caller = await openRaw(host, RUNS);
    await caller.has('"runs"');
    await silent[0]?.cut;
    expect(silent.map((connection) => connection.socket.closed)).toEqual([true, false, false]);
  });

  it('and have requests under way, health checks still get in, and nothing else', async () => {
    const host = await hostWith({ maxConnections: 6 });
    const streams = [];
    for (const { token } of KEYS) {
      const created = await host.post('/v1/runs', { workflowId: 'slow' }, { key: token });
      for (const _ of [1, 2]) {
        const path = `/v1/runs/${created.body.runId}/events`;
        const stream = await openRaw(host, requestText('GET', path, token, 'Accept: text/event-stream\r\n'));
        await stream.has('run.started');
        streams.push(stream);
      }
    }
    for (let i = 0; i < 40; i += 1) await openRaw(host);
    const refused = await openRaw(host, RUNS);
    await refused.has('"overloaded"');
    expect(refused.received()).toMatch(/^HTTP\/1.1 503 /);
    expect(refused.received()).toMatch(/connection: close/i);
    const checked = await openRaw(host, HEALTH);
    await checked.has('"ok"');
    expect(streams.map((stream) => stream.socket.closed)).toEqual(streams.map(() => false));
  });
});

it('a tenant cannot hold more than half of all connections with open requests', async () => {
  const host = await hostWith({ maxConnections: 4 });
  const { body } = await host.post('/v1/runs', { workflowId: 'slow' });
  const open = () =>
    openRaw(
      host,
      requestText('GET', `/v1/runs/${body.runId}/events`, OPERATOR_KEY, 'Accept: text/event-stream\r\n'),
    );
  for (const _ of [1, 2]) await (await open()).has('run.started');
  const third = await open();
  await third.has('"too_many_open"');
  expect(third.received()).toMatch(/^HTTP\/1.1 429 /);
  expect(third.received()).toMatch(/retry-after: 1/i);
  const other = await openRaw(host, requestText('GET', '/v1/runs', 'key-of-acme', 'Connection: close\r\n'));
  await other.has('"runs"');
});

it('an address has a bound of its own, which ended connections do not count against', async () => {
  const host = await hostWith({ maxConnectionsPerAddress: 2 });
  const first = await openRaw(host);
  await openRaw(host);
  const third = await openRaw(host, HEALTH);
  await third.cut;
  expect(third.received()).toMatch(/^HTTP\/1.1 429 /);
  first.socket.destroy();
  // The host learns of the end of the first one at some time; until then it refuses.
  await until(async () => {
    const next = await openRaw(host, HEALTH);
    await Promise.race([next.cut, next.has('"ok"')]);
    next.socket.destroy();
    return next.received().includes('"ok"');
  });
});

async function streamsOf(host: TestHost): Promise<number> {
  const { text } = await host.get('/metrics');
  return Number(/^baton_sse_clients (\d+)$/m.exec(text)?.[1]);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}
