import { CONTRACTS } from '@baton/protocol';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

/** For whoever keeps the host running: is it alive, does it take work, how is it doing. */
export const healthRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.checkHealth, async () => ({ status: 'ok' }));

  // Routes exist only once the engine takes commands, so answering at all is being ready. Runs that were under way
  // are gone on with after that: one of them may take long, and must not keep the others waiting.
  bind(app, CONTRACTS.checkReadiness, async (_request, reply) => {
    if (!host.lingering.isClosed()) return { status: 'ready', heldRuns: host.reads.heldCount() };
    return reply.code(503).header('retry-after', 1).send({ status: 'stopping' });
  });

  bind(app, CONTRACTS.readMetrics, async (_request, reply) =>
    reply.type(host.metrics.contentType).send(await host.metrics.text()),
  );
};
