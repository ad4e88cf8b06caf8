import { request } from 'node:http';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { guardRoutes } from './guard.ts';
import type { Keyring } from './keyring.ts';

const NOBODY: Keyring = {
  recognise: () => undefined,
  identify: async () => undefined,
  byCertificate: async () => undefined,
  bySession: async () => undefined,
};

it('does not start with a route that says nothing about who may use it', () => {
  const app = fastify();
  guardRoutes(app, NOBODY, { enter: () => undefined });
  expect(() => app.get('/open', async () => 'oops')).toThrow(/does not say who may use it/);
  expect(() => app.get('/fine', { config: { access: 'public' } }, async () => 'ok')).not.toThrow();
});

it('counts nothing for a caller that has gone while its key was looked up', async () => {
  const keyring = { ...NOBODY };
  const entered: string[] = [];
  const scopes = new Set(['runs:read'] as const);
  const identity = { keyId: 'k', tenant: 'acme', principal: 'ana', scopes };
  let lookedUp: (found: typeof identity) => void = () => undefined;
  const looking = new Promise<void>((begun) => {
    keyring.identify = () =>
      new Promise((resolve) => {
        lookedUp = resolve;
        begun();
      });
  });
  const app = fastify();
  guardRoutes(app, keyring, { enter: (tenant) => void entered.push(tenant) });
  const gone = new Promise((resolve) => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.raw.once('close', resolve);
      done();
    });
  });
  let handled = 0;
  app.get('/runs', { config: { access: 'runs:read' } }, async () => {
    handled += 1;
    return 'ok';
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const asking = request(`${url}/runs`, { headers: { authorization: 'Bearer token' } });
  asking.on('error', () => undefined).end();
  await looking;
  asking.destroy();
  await gone;
  lookedUp(identity);
  await new Promise((resolve) => setImmediate(resolve));
  expect([entered, handled]).toEqual([[], 0]);
  keyring.identify = async () => identity;
  const answer = await fetch(`${url}/runs`, { headers: { authorization: 'Bearer token' } });
  expect([answer.status, entered, handled]).toEqual([200, ['acme'], 1]);
});
