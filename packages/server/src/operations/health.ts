import Type from 'typebox';
import type { Routes } from '../http/context.ts';

/** For whoever keeps the host running: is it alive, does it take work, how is it doing. */
export const healthRoutes: Routes = (app, host) => {
  const open = { access: 'public' } as const;
  const Status = Type.Object({ status: Type.String() });

  app.get(
    '/healthz',
    {
      schema: { tags: ['operations'], summary: 'Is the process alive', response: { 200: Status } },
      config: open,
    },
    async () => ({ status: 'ok' }),
  );

  // Routes exist only once the engine has recovered what it found, so answering at all is being ready.
  app.get(
    '/readyz',
    {
      schema: {
        tags: ['operations'],
        summary: 'Does the host take work',
        response: { 200: Status, 503: Status },
      },
      config: open,
    },
    async (_request, reply) => {
      if (!host.lingering.isClosed()) return { status: 'ready' };
      return reply.code(503).header('retry-after', 1).send({ status: 'stopping' });
    },
  );

  app.get(
    '/metrics',
    { schema: { tags: ['operations'], summary: 'Counters in the Prometheus format' }, config: open },
    async (_request, reply) => reply.type(host.metrics.contentType).send(await host.metrics.text()),
  );
};
