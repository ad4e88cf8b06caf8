import { CONTRACTS } from '@baton/protocol';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

/** For operators: whether the host is alive, whether it accepts work, and its metrics. */
export const healthRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.checkHealth, async () => ({ status: 'ok' }));

  // The recovery of runs after a start is not considered here: it may take long, and must not delay new work.
  bind(app, CONTRACTS.checkReadiness, async (_request, reply) => {
    const status = await host.readiness();
    if (status === 'ready') return { status, heldRuns: await host.reads.heldCount() };
    return reply.code(503).header('retry-after', 1).send({ status });
  });

  bind(app, CONTRACTS.readMetrics, async (_request, reply) =>
    reply.type(host.metrics.contentType).send(await host.metrics.text()),
  );
};
