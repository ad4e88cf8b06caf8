import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, OPERATOR_KEY, startTestHost } from './host.ts';
import { openRaw, requestText } from './raw-sockets.ts';

const host = await startTestHost({ bodyLimitBytes: 256 * 1024 });
afterAll(() => host.stop());

function expectEnvelope(answer: Answer, status: number, error: string): void {
  expect(answer).toMatchObject({ status, body: { error } });
  expect(typeof answer.body.message).toBe('string');
  expect(Object.keys(answer.body).filter((key) => !['error', 'message', 'details'].includes(key))).toEqual(
    [],
  );
}

const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

describe('a body that cannot be read', () => {
  it.each([
    ['half a document', '{"workflowId":'],
    ['not JSON', 'workflowId=quick'],
    ['a lone comma', '{"workflowId":"quick",}'],
    ['NaN', '{"workflowId":"quick","inputs":{"n":NaN}}'],
  ])('is refused: %s', async (_what, raw) => {
    expectEnvelope(await host.post('/v1/runs', undefined, { raw }), 400, 'invalid_json');
  });

  it.each([
    ['an infinity', '{"workflowId":"quick","inputs":{"n":1e999}}'],
    ['a key that reaches the prototype', '{"workflowId":"quick","inputs":{"__proto__":{"admin":true}}}'],
    ['deep nesting', `{"workflowId":"quick","inputs":{"a":${nested(5000)}}}`],
    ['very deep nesting', nested(100_000)],
  ])('is refused: %s', async (_what, raw) => {
    expectEnvelope(await host.post('/v1/runs', undefined, { raw }), 400, 'validation_error');
  });

  it('is refused when it is too large', async () => {
    const raw = JSON.stringify({ workflowId: 'quick', inputs: { text: 'x'.repeat(300_000) } });
    expectEnvelope(await host.post('/v1/runs', undefined, { raw }), 413, 'payload_too_large');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'])(
    'is refused as %s',
    async (type) => {
      const answer = await host.post(
        '/v1/runs',
        { workflowId: 'quick' },
        { headers: { 'content-type': type } },
      );
      expectEnvelope(answer, 415, 'unsupported_media_type');
    },
  );

  it('is accepted with a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await host.post('/v1/runs', { workflowId: 'quick' }, { headers })).status).toBe(201);
  });
});

describe('a field that is not right is named', () => {
  const CASES: readonly (readonly [path: string, body: unknown, field: string])[] = [
    ['/v1/runs', {}, 'workflowId'],
    ['/v1/runs', undefined, 'workflowId'],
    ['/v1/runs', null, 'workflowId'],
    ['/v1/runs', { workflowId: 7 }, 'workflowId'],
    ['/v1/runs', { workflowId: '' }, 'workflowId'],
    ['/v1/runs', { workflowId: 'x'.repeat(129) }, 'workflowId'],
    ['/v1/runs', { workflowId: 'quick', unheardOf: 1 }, 'unheardOf'],
    ['/v1/runs', { workflowId: 'quick', callbackUrl: 'https://example.com/' }, 'callbackUrl'],
    ['/v1/runs', { workflowId: 'quick', inputs: [] }, 'inputs'],
    ['/v1/runs', { workflowId: 'quick', inputs: 'text' }, 'inputs'],
    ['/v1/runs', { workflowId: 'quick', configurable: { recursionLimit: 0 } }, 'configurable.recursionLimit'],
    [
      '/v1/runs',
      { workflowId: 'quick', configurable: { runTimeoutMs: 'soon' } },
      'configurable.runTimeoutMs',
    ],
    ['/v1/runs', { workflowId: 'quick', tags: 'red' }, 'tags'],
    ['/v1/runs', { workflowId: 'quick', tags: [''] }, 'tags.0'],
    ['/v1/runs', { workflowId: 'quick', tags: Array.from({ length: 101 }, () => 't') }, 'tags'],
    ['/v1/runs', { workflowId: 'quick', metadata: 3 }, 'metadata'],
    ['/v1/runs', [], ''],
    ['/v1/runs', 'quick', ''],
    ['/v1/runs/x/cancel', { because: 'x' }, 'because'],
    ['/v1/runs/x/cancel', { reason: 'x'.repeat(1025) }, 'reason'],
    ['/v1/runs/x:pause', { drainPolicy: 'slowly' }, 'drainPolicy'],
    ['/v1/runs/x:pause', { unheardOf: 1 }, 'unheardOf'],
    ['/v1/runs/x:resume', { unheardOf: 1 }, 'unheardOf'],
    ['/v1/runs:bulk-cancel', {}, 'runIds'],
    ['/v1/runs:bulk-cancel', { runIds: 'x' }, 'runIds'],
    ['/v1/runs:bulk-cancel', { runIds: [7] }, 'runIds.0'],
    ['/v1/runs/x/interrupts/n', {}, 'resumeValue'],
    ['/v1/runs/x/interrupts/n', { resumeValue: 1, more: 2 }, 'more'],
    ['/v1/runs/x/approvals/n', {}, 'action'],
    ['/v1/workflows', {}, 'id'],
    ['/v1/workflows', { id: 'W', nodes: [{ id: 'n', typeId: 'core.noop' }] }, 'id'],
    ['/v1/workflows', { id: 'w', nodes: [] }, 'nodes'],
    ['/v1/workflows', { id: 'w', nodes: [{ id: 'n' }] }, 'nodes.0.typeId'],
    ['/v1/workflows', { id: 'w', nodes: [{ id: 'n', typeId: 'core.noop', colour: 1 }] }, 'nodes.0.colour'],
    ['/v1/workflows', { id: 'w', nodes: [{ id: 'n', typeId: 'core.noop' }], shape: 'round' }, 'shape'],
  ];

  it.each(CASES)('POST %s %j → %s', async (path, body, field) => {
    const answer = await host.post(path, body, body === null ? { raw: 'null' } : {});
    expectEnvelope(answer, 400, 'validation_error');
    expect(answer.body.details.field).toBe(field);
  });
});

describe('a query that is not right is named', () => {
  it.each([
    ['/v1/runs/x/events?bufferMs=99999', 'bufferMs'],
    ['/v1/runs/x/events?bufferMs=-1', 'bufferMs'],
    ['/v1/runs/x/events?bufferMs=soon', 'bufferMs'],
    ['/v1/runs/x/events?lastEventId=x', 'lastEventId'],
    ['/v1/runs/x/events/poll?lastSequence=1.5', 'lastSequence'],
    ['/v1/runs/x/events/poll?lastSequence=-2', 'lastSequence'],
    ['/v1/runs/x/events/poll?lastSequence=', 'lastSequence'],
    ['/v1/runs/x/events/poll?timeout=31', 'timeout'],
    ['/v1/runs/x/events/poll?timeout=1&timeout=2', 'timeout'],
    ['/v1/interrupts?limit=0', 'limit'],
    ['/v1/interrupts?cursor=!!', 'cursor'],
  ])('GET %s', async (path, field) => {
    const answer = await host.get(path);
    expectEnvelope(answer, 400, 'validation_error');
    expect(answer.body.details.field).toBe(field);
  });
});

describe('an address', () => {
  it.each(['/', '/v1', '/v1/', '/v2/runs', '/v1/runs/x/debug', '/v1/runs/x:forks', '/v1/runs:x'])(
    'that leads nowhere is a 404: %s',
    async (path) => {
      const answer = await host.post(path, {});
      expectEnvelope(answer, 404, 'not_found');
    },
  );

  it.each([
    ['DELETE', '/v1/runs'],
    ['PUT', '/v1/runs/x'],
    ['POST', '/v1/runs/x'],
    ['GET', '/v1/runs/x/cancel'],
    ['DELETE', '/v1/workflows/quick'],
    ['POST', '/healthz'],
  ])('that takes other methods says which: %s %s', async (method, path) => {
    const answer = await host.send(method, path, method === 'GET' ? undefined : {});
    expectEnvelope(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toMatch(/GET|POST/);
  });

  it.each(['/v1/runs/%zz', '/v1/runs/%E0%A4%A', `/v1/runs/${'x'.repeat(2000)}`])(
    'that is malformed or too long is refused: %s',
    async (path) => {
      const answer = await host.get(path);
      expect([400, 404]).toContain(answer.status);
      expect(typeof answer.body.error).toBe('string');
      expect((await host.get(path, { key: null })).status).toBe(401);
    },
  );

  it.each(['/v1/%ZZ-of-my-own', '/%ZZ-of-my-own', `/v1/runs/${'of-my-own'.repeat(200)}`])(
    'that is malformed or too long is not repeated in the answer: %s',
    async (path) => {
      const answer = await host.get(path);
      expect([400, 404]).toContain(answer.status);
      expect(Object.keys(answer.body)).toEqual(['error', 'message']);
      expect(answer.text).not.toContain('of-my-own');
    },
  );
});

it('answers what is not HTTP with an envelope and hangs up', async () => {
  const { hostname, port } = new URL(host.url);
  const text = await new Promise<string>((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write('HELLO\r\n\r\n'));
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
  });
  expect(text).toContain('400 Bad Request');
  expect(text).toContain('"error":"validation_error"');
  expect(text).toContain("content-security-policy: default-src 'none'");
});

it.each(['', ' ', 'x'.repeat(256), 'ümlaut'])('refuses the Idempotency-Key "%s"', async (key) => {
  const raw = Buffer.from(key, 'utf8').toString('latin1');
  const answer = await host.post(
    '/v1/runs',
    { workflowId: 'quick' },
    { headers: { 'idempotency-key': raw } },
  );
  expectEnvelope(answer, 400, 'validation_error');
});

it('puts security headers on every answer', async () => {
  const addresses = ['/v1/runs', '/v1/no-such-thing', '/healthz', '/v1/%ZZ', `/v1/runs/${'x'.repeat(2000)}`];
  for (const path of addresses) {
    const { headers } = await host.get(path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

it('names both things that make an address unreadable', async () => {
  for (const address of ['http://[::1/v1/runs', '/v1/%ZZ']) {
    const connection = await openRaw(host, requestText('GET', address, OPERATOR_KEY));
    await connection.has('a host such as [::1 that is not complete');
    expect(connection.received()).toMatch(/^HTTP\/1\.1 400 /);
  }
});
