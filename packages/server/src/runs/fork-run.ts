import { ForkRun, RetryRun, RunForked } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { carryOut } from '../http/command.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { RUN_BEFORE_COLON, RunParams } from './run-params.ts';

/** Starts a run from the recorded events of another run. */

export const forkRunRoute: Routes = (app, host) => {
  app.post(
    `${RUN_BEFORE_COLON}fork`,
    {
      schema: {
        tags: ['runs'],
        summary: 'Replay a run, or branch off at any of its events',
        description:
          'A replay repeats its source with the recorded outcomes and reports differences; it performs no effects. ' +
          'A branch starts with the state before event `fromSeq`, goes on by itself and performs effects.',
        params: RunParams,
        body: ForkRun,
        response: { 201: RunForked },
      },
      config: { access: 'runs:create' },
    },
    (request: FastifyRequest<{ Params: RunParams; Body: ForkRun }>, reply) =>
      fork(host, reply, {
        kind: 'fork-run',
        caller: callerOf(request),
        scopes: [...identityOf(request).scopes],
        idempotency: idempotencyOf(request),
        runId: request.params.runId,
        body: request.body,
      }),
  );
};

export const retryRunRoute: Routes = (app, host) => {
  app.post(
    `${RUN_BEFORE_COLON}retry`,
    {
      schema: {
        tags: ['runs'],
        summary: 'Retry a failed run from the node that failed',
        description: 'The retry is a new run. Work that was done before the failure is not repeated.',
        params: RunParams,
        body: RetryRun,
        response: { 201: RunForked },
      },
      config: { access: 'runs:create' },
    },
    (request: FastifyRequest<{ Params: RunParams; Body: RetryRun }>, reply) =>
      fork(host, reply, {
        kind: 'retry-run',
        caller: callerOf(request),
        scopes: [...identityOf(request).scopes],
        idempotency: idempotencyOf(request),
        runId: request.params.runId,
        body: request.body,
      }),
  );
};

async function fork(
  host: HostContext,
  reply: FastifyReply,
  command: Parameters<typeof carryOut>[2],
): Promise<RunForked> {
  const made = await carryOut(host.engine, reply, command, 'fork');
  const { runId, status, sourceRunId, fromSeq, mode } = made;
  host.metrics.runsCreated.inc();
  const statusUrl = `/v1/runs/${runId}`;
  reply.code(201).header('location', statusUrl);
  return {
    runId,
    sourceRunId,
    fromSeq,
    mode,
    status,
    effects: mode === 'replay' ? 'recorded' : 'performed',
    eventsUrl: `${statusUrl}/events`,
    statusUrl,
  };
}
