import Type from 'typebox';
import type { Routes } from '../http/context.ts';

/** For operators: whether the host is alive, whether it accepts work, and its metrics. */
export const healthRoutes: Routes = (app, host) => {
  const open = { access: 'public' } as const;
  const Status = Type.Object({ status: Type.String() });
  const Ready = Type.Object({
    status: Type.String(),
    heldRuns: Type.Integer({ minimum: 0, description: 'Runs that stopped the engine and are held' }),
  });

  app.get(
    '/healthz',
    {
      schema: { tags: ['operations'], summary: 'Whether the process is alive', response: { 200: Status } },
      config: open,
    },
    async () => ({ status: 'ok' }),
  );

  // Routes exist only after the engine accepts commands, so any answer means that the host is ready. Recovery
  // of open runs begins later: it may take long, and must not delay new requests.
  app.get(
    '/readyz',
    {
      schema: {
        tags: ['operations'],
        summary: 'Whether the host accepts work',
        response: { 200: Ready, 503: Status },
      },
      config: open,
    },
    async (_request, reply) => {
      if (!host.lingering.isClosed()) return { status: 'ready', heldRuns: host.reads.heldCount() };
      return reply.code(503).header('retry-after', 1).send({ status: 'stopping' });
    },
  );

  app.get(
    '/metrics',
    { schema: { tags: ['operations'], summary: 'Counters in the Prometheus format' }, config: open },
    async (_request, reply) => reply.type(host.metrics.contentType).send(await host.metrics.text()),
  );
};
