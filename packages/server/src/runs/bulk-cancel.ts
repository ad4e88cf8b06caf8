import type { CancelCommand, Reply } from '@baton/engine';
import { BatonError, CONTRACTS, MAX_BULK_CANCEL } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { callerOf } from '../auth/bearer.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { refusal } from '../http/errors.ts';
import { idempotencyOf } from '../http/idempotency.ts';

type BulkRequest = RequestTo<typeof CONTRACTS.bulkCancelRuns>;

export const bulkCancelRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.bulkCancelRuns, (request, reply) => bulkCancel(host, request, reply));
};

async function bulkCancel(host: HostContext, request: BulkRequest, reply: FastifyReply): Promise<unknown> {
  const { runIds, reason } = request.body;
  const [first, ...others] = runIds;
  if (first === undefined || runIds.length > MAX_BULK_CANCEL) {
    throw new BatonError('validation_error', `runIds must hold 1 to ${MAX_BULK_CANCEL} ids.`, {
      field: 'runIds',
      maxRunIds: MAX_BULK_CANCEL,
    });
  }
  const caller = callerOf(request);
  const cancel = (runId: string): CancelCommand => ({ kind: 'cancel-run', caller, runId, reason });
  // The first cancel claims the idempotency key for the whole request. Repeating the others changes nothing.
  const claim = await host.engine.execute({ ...cancel(first), idempotency: idempotencyOf(request) });
  if (!claim.ok && claim.error.error.startsWith('idempotency_')) throw refusal(claim.error);
  if (claim.ok && claim.replayed) reply.header('openwop-idempotent-replay', 'true');
  const replies = await Promise.all(others.map((runId) => host.engine.execute(cancel(runId))));
  return { results: [claim, ...replies].map((outcome, index) => resultOf(runIds[index] ?? '', outcome)) };
}

function resultOf(runId: string, outcome: Reply) {
  if (!outcome.ok)
    return { runId, ok: false, error: { code: outcome.error.error, message: outcome.error.message } };
  return { runId, ok: true, status: outcome.value.kind === 'run' ? outcome.value.status : undefined };
}
