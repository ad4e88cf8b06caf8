import { connect } from 'node:http2';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serveInvitations } from './serve-invitations.ts';

/** What Restate reads about the endpoint when it is registered. */
async function discovered(port: number): Promise<{ readonly status: number; readonly body: string }> {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({
    ':path': '/discover',
    accept: 'application/vnd.restate.endpointmanifest.v4+json',
  });
  let body = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    body += part;
  });
  const status = await new Promise<number>((resolve, reject) => {
    stream.once('response', (headers) => resolve(Number(headers[':status'])));
    stream.once('error', reject);
  });
  await new Promise((resolve) => stream.once('end', resolve));
  session.destroy();
  return { status, body };
}

const CALLED = { invited: async () => 'over' as const, rung: async () => undefined };
const LISTEN = { host: '127.0.0.1', port: 0 };

async function serving(pools: readonly string[], identityKey?: string) {
  const server = await serveInvitations({
    ...{ listen: LISTEN, pools, identityKey },
    ...CALLED,
    onProblem: () => undefined,
  });
  onTestFinished(server.stop);
  return server;
}

it('offers Restate one object for each pool, that of the deadlines too, and gives up in the end', async () => {
  const { port } = await serving(['model', 'tool', 'alarm']);
  const { body } = await discovered(port);
  const { services } = JSON.parse(body) as { services: readonly Readonly<Record<string, unknown>>[] };
  expect(services.map(({ name, ty }) => [name, ty])).toEqual([
    ['baton-model', 'VIRTUAL_OBJECT'],
    ['baton-tool', 'VIRTUAL_OBJECT'],
    ['baton-alarm', 'VIRTUAL_OBJECT'],
  ]);
  expect(services[0]).toMatchObject({ retryPolicyOnMaxAttempts: 'KILL', journalRetention: 0 });
});

it('refuses calls that Restate has not signed where a key is set', async () => {
  const { port } = await serving(['model'], 'publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9');
  expect((await discovered(port)).status).toBe(401);
});

it('says which setting to change when the address cannot be used', async () => {
  const listen = { host: '192.0.2.1', port: 0 };
  const options = { listen, pools: ['model'], identityKey: undefined };
  await expect(serveInvitations({ ...options, ...CALLED, onProblem: () => undefined })).rejects.toThrow(
    /192\.0\.2\.1:0.*BATON_RESTATE_LISTEN/,
  );
});

it('waits for the thread before it to let go of the port', async () => {
  const before = createServer();
  await new Promise<void>((resolve) => before.listen(0, '127.0.0.1', resolve));
  const { port } = before.address() as { port: number };
  const listen = { host: '127.0.0.1', port };
  const opening = serveInvitations({
    ...{ listen, pools: ['model'], identityKey: undefined },
    ...CALLED,
    onProblem: () => undefined,
  });
  before.close();
  const server = await opening;
  onTestFinished(server.stop);
  expect(server.port).toBe(port);
});
