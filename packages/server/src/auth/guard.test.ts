import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { guardRoutes } from './guard.ts';

it('does not start with a route that says nothing about who may use it', () => {
  const app = fastify();
  guardRoutes(
    app,
    { recognise: () => undefined, identify: async () => undefined },
    { enter: () => undefined },
  );
  expect(() => app.get('/open', async () => 'oops')).toThrow(/does not say who may use it/);
  expect(() => app.get('/fine', { config: { access: 'public' } }, async () => 'ok')).not.toThrow();
});
