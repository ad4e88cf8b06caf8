import type { Idempotency } from '@baton/engine';
import { CancelRun, PauseRun, ResumeRun } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { callerOf } from '../auth/bearer.ts';
import { carryOut } from '../http/command.ts';
import type { Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { RUN_BEFORE_COLON, RunParams } from './run-params.ts';

const Controlled = Type.Object({ runId: Type.String(), status: Type.String() });

type ControlRequest<B> = FastifyRequest<{ Params: RunParams; Body: B }>;

interface Asked {
  readonly caller: ReturnType<typeof callerOf>;
  readonly idempotency?: Idempotency;
  readonly runId: string;
}

function askedBy(request: ControlRequest<unknown>): Asked {
  return {
    caller: callerOf(request),
    idempotency: idempotencyOf(request),
    runId: request.params.runId,
  };
}

export const cancelRunRoute: Routes = (app, host) => {
  app.post(
    '/v1/runs/:runId/cancel',
    {
      schema: {
        tags: ['runs'],
        summary: 'Cancel a run and its children',
        params: RunParams,
        body: CancelRun,
        response: { 200: Controlled },
      },
      config: { access: 'runs:cancel' },
    },
    async (request: ControlRequest<Type.Static<typeof CancelRun>>, reply) => {
      const { reason } = request.body;
      const command = { kind: 'cancel-run', ...askedBy(request), reason } as const;
      const { runId, status } = await carryOut(host.engine, reply, command, 'run');
      return { runId, status };
    },
  );
};

export const pauseRunRoute: Routes = (app, host) => {
  app.post(
    `${RUN_BEFORE_COLON}pause`,
    {
      schema: {
        tags: ['runs'],
        summary: 'Pause a run',
        params: RunParams,
        body: PauseRun,
        response: { 202: Controlled },
      },
      config: { access: 'runs:cancel' },
    },
    async (request: ControlRequest<Type.Static<typeof PauseRun>>, reply) => {
      const { reason, drainPolicy = 'drain-current-node' } = request.body;
      const command = { kind: 'pause-run', ...askedBy(request), reason, drainPolicy } as const;
      const { runId, status } = await carryOut(host.engine, reply, command, 'run');
      return reply.code(202).send({ runId, status });
    },
  );
};

export const resumeRunRoute: Routes = (app, host) => {
  app.post(
    `${RUN_BEFORE_COLON}resume`,
    {
      schema: {
        tags: ['runs'],
        summary: 'Resume a paused run',
        params: RunParams,
        body: ResumeRun,
        response: { 202: Controlled },
      },
      config: { access: 'runs:cancel' },
    },
    async (request: ControlRequest<Type.Static<typeof ResumeRun>>, reply) => {
      const command = { kind: 'resume-run', ...askedBy(request) } as const;
      const { runId, status } = await carryOut(host.engine, reply, command, 'run');
      return reply.code(202).send({ runId, status });
    },
  );
};
