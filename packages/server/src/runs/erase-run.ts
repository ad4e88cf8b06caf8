import { EraseRun } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { callerOf } from '../auth/bearer.ts';
import { carryOut } from '../http/command.ts';
import type { Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { RUN_BEFORE_COLON, RunParams } from './run-params.ts';

const Erased = Type.Object({
  runId: Type.String(),
  erased: Type.Literal(true),
  runs: Type.Integer({ description: 'The number of erased runs: the run and its descendants' }),
});

type EraseRequest = FastifyRequest<{ Params: RunParams; Body: Type.Static<typeof EraseRun> }>;

export const eraseRunRoute: Routes = (app, host) => {
  app.post(
    `${RUN_BEFORE_COLON}erase`,
    {
      schema: {
        tags: ['runs'],
        summary: 'Erase the data of a run and its descendants',
        description:
          'This cannot be undone. Digests replace the payloads. A signed record replaces the links that can no ' +
          'longer be recomputed, so that audits still pass. The run must have ended, and no fork may need it.',
        params: RunParams,
        body: EraseRun,
        response: { 200: Erased },
      },
      config: { access: 'runs:erase' },
    },
    async (request: EraseRequest, reply) => {
      const command = {
        kind: 'erase-run',
        caller: callerOf(request),
        idempotency: idempotencyOf(request),
        runId: request.params.runId,
        reason: request.body.reason,
      } as const;
      const { runId, runs } = await carryOut(host.engine, reply, command, 'erased');
      host.recent.forget(runId);
      return { runId, erased: true, runs };
    },
  );
};
