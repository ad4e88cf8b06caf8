import { ForkRun, RetryRun, RunForked } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { carryOut } from '../http/command.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { RUN_BEFORE_COLON, RunParams } from './run-params.ts';

/** Making a run out of another one's past. */

export const forkRunRoute: Routes = (app, host) => {
  app.post(
    `${RUN_BEFORE_COLON}fork`,
    {
      schema: {
        tags: ['runs'],
        summary: 'Replay a run, or branch off from any of its events',
        description:
          'A replay does what its source did, with what was recorded, and reports where it comes out differently. A branch goes on for real from the state before event `fromSeq`. An index within a step of the run means where that step begins; the answer says both indexes.',
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
        summary: 'Go on with a failed run at the node it failed at',
        description: 'The failed run stays as it is; what it had done before the failure is not done again.',
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
  const { runId, status, sourceRunId, fromSeq, requestedFromSeq, mode } = made;
  host.metrics.runsCreated.inc();
  const statusUrl = `/v1/runs/${runId}`;
  reply.code(201).header('location', statusUrl);
  return {
    runId,
    sourceRunId,
    fromSeq,
    ...(requestedFromSeq !== undefined && { requestedFromSeq }),
    mode,
    status,
    effects: mode === 'replay' ? 'recorded' : 'performed',
    eventsUrl: `${statusUrl}/events`,
    statusUrl,
  };
}
