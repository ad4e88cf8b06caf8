import { CONTRACTS, type RunForked } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import { carryOut } from '../http/command.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';

/** Starts a run from the recorded events of another run. */

export const forkRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.forkRun, (request, reply) =>
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
  bind(app, CONTRACTS.retryRun, (request, reply) =>
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
