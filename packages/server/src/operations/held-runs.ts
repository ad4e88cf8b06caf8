import { BatonError, CONTRACTS, MAX_HELD_RUNS_SHOWN } from '@baton/protocol';
import { callerOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import { carryOut } from '../http/command.ts';
import type { Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';

/** Lists and releases held trees, for operators of the host. */

export const heldRunRoutes: Routes = (app, host) => {
  bind(app, CONTRACTS.listHeldRuns, async () => {
    const { total, trees } = await host.reads.heldTrees(MAX_HELD_RUNS_SHOWN);
    const runs = trees.map(({ rootId, held, losses: _losses, ...tree }) => ({
      runId: rootId,
      ...tree,
      reason: held.reason,
      heldAt: new Date(held.at).toISOString(),
    }));
    return { total, runs };
  });

  bind(app, CONTRACTS.releaseHeldRun, async (request, reply) => {
    const { runId } = request.params;
    const tenant = await host.reads.tenantOf(runId);
    if (tenant === undefined) throw new BatonError('not_found', 'There is no such run.');
    const { principal } = callerOf(request);
    const command = {
      kind: 'release-run',
      caller: { tenant, principal },
      idempotency: idempotencyOf(request),
      runId,
    } as const;
    const released = await carryOut(host.engine, reply, command, 'run');
    return { runId: released.runId, status: released.status };
  });
};
