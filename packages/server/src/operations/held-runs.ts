import { BatonError } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { callerOf } from '../auth/bearer.ts';
import { carryOut } from '../http/command.ts';
import type { Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';

/** Lists and releases held trees, for operators of the host. */

const MOST_SHOWN = 1000;

const HeldRun = Type.Object({
  runId: Type.String(),
  tenant: Type.String(),
  workflowId: Type.String(),
  workflowVersion: Type.Integer(),
  reason: Type.Unsafe<string>({
    enum: ['lost', 'stalled', 'kin'],
    description:
      '`lost`: the process ended three times while it worked on the run. `stalled`: the engine worked on the run ' +
      'for too long. `kin`: three other runs of the same version of its workflow are held.',
  }),
  heldAt: Type.String({ format: 'date-time' }),
});

const HeldRuns = Type.Object({
  total: Type.Integer({ minimum: 0 }),
  runs: Type.Array(HeldRun),
});

const Released = Type.Object({ runId: Type.String(), status: Type.String() });

const RunParams = Type.Object({ runId: Type.String() });

export const heldRunRoutes: Routes = (app, host) => {
  app.get(
    '/v1/host/held-runs',
    {
      schema: {
        tags: ['operations'],
        summary: 'Runs that stopped the engine and are held',
        description: `The held runs of all tenants, newest first, at most ${MOST_SHOWN}.`,
        response: { 200: HeldRuns },
      },
      config: { access: 'host:operate' },
    },
    async () => ({
      total: host.reads.heldCount(),
      runs: host.reads.heldTrees(MOST_SHOWN).map(({ rootId, held, losses: _losses, ...tree }) => ({
        runId: rootId,
        ...tree,
        reason: held.reason,
        heldAt: new Date(held.at).toISOString(),
      })),
    }),
  );

  app.post(
    '/v1/host/held-runs/:runId(^[^:/]+)::release',
    {
      schema: {
        tags: ['operations'],
        summary: 'Release a held run',
        description:
          'The count of its losses begins again at 0. If it stops the engine again, it is held again.',
        params: RunParams,
        response: { 200: Released },
      },
      config: { access: 'host:operate' },
    },
    async (request: FastifyRequest<{ Params: Type.Static<typeof RunParams> }>, reply) => {
      const { runId } = request.params;
      const tenant = host.reads.tenantOf(runId);
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
    },
  );
};
