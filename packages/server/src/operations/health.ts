import Type from 'typebox';
import type { Routes } from '../http/context.ts';

/** For whoever keeps the host running: is it alive, does it take work, how is it doing. */
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
      schema: { tags: ['operations'], summary: 'Is the process alive', response: { 200: Status } },
      config: open,
    },
    async () => ({ status: 'ok' }),
  );

  // Says nothing about the runs that were under way when the host started: one of them may take long, and must not
  // keep new work waiting.
  app.get(
    '/readyz',
    {
      schema: {
        tags: ['operations'],
        summary: 'Does the host take work',
        description:
          'Asks the thread of the engine, which answers between two pieces of work, and has something written to the ' +
          'disk unless that was done in the last seconds. Otherwise `status` says what is wrong: `stopping`, ' +
          '`engine-not-answering`, `storage-full` or `storage-failing`.',
        response: { 200: Ready, 503: Status },
      },
      config: open,
    },
    async (_request, reply) => {
      const status = await host.readiness();
      if (status === 'ready') return { status, heldRuns: host.reads.heldCount() };
      return reply.code(503).header('retry-after', 1).send({ status });
    },
  );

  app.get(
    '/metrics',
    { schema: { tags: ['operations'], summary: 'Counters in the Prometheus format' }, config: open },
    async (_request, reply) => reply.type(host.metrics.contentType).send(await host.metrics.text()),
  );
};
