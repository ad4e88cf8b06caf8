import { CONTRACTS } from '@baton/protocol';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

/** For whoever keeps the host running: is it alive, does it take work, how is it doing. */
export const healthRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.checkHealth, async () => ({ status: 'ok' }));

  // Says nothing about the runs that were under way when the host started: one of them may take long, and must not
  // keep new work waiting.
  bind(app, CONTRACTS.checkReadiness, async (_request, reply) => {
    const status = await host.readiness();
    if (status === 'ready') return { status, heldRuns: host.reads.heldCount() };
    return reply.code(503).header('retry-after', 1).send({ status });
  });

  bind(app, CONTRACTS.readMetrics, async (_request, reply) =>
    reply.type(host.metrics.contentType).send(await host.metrics.text()),
  );
};
