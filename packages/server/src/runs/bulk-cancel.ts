import type { CancelCommand, Reply } from '@baton/engine';
import { CONTRACTS, invalid, MAX_BULK_CANCEL } from '@baton/protocol';
import type { FastifyReply, FastifySchemaCompiler } from 'fastify';
import { callerOf } from '../auth/bearer.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { refusal } from '../http/errors.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { compileCheck } from '../http/validation.ts';

type BulkRequest = RequestTo<typeof CONTRACTS.bulkCancelRuns>;

export const bulkCancelRoute: Routes = (app, host) => {
  const handler = (request: BulkRequest, reply: FastifyReply) => bulkCancel(host, request, reply);
  bind(app, CONTRACTS.bulkCancelRuns, handler, { validatorCompiler: namingTheLimit });
};

/** The protocol wants the limit itself in the details of the refusal. */
const namingTheLimit: FastifySchemaCompiler<object> = (route) => {
  const check = compileCheck(route);
  return (body: unknown) => {
    const { runIds } = (body ?? {}) as { readonly runIds?: unknown };
    if (!Array.isArray(runIds) || (runIds.length > 0 && runIds.length <= MAX_BULK_CANCEL)) return check(body);
    const problem = `must hold 1 to ${MAX_BULK_CANCEL} ids`;
    return { error: invalid('The body', { field: 'runIds', problem }, { maxRunIds: MAX_BULK_CANCEL }) };
  };
};

async function bulkCancel(host: HostContext, request: BulkRequest, reply: FastifyReply): Promise<unknown> {
  const { runIds, reason } = request.body;
  // The schema asks for at least one id.
  const [first = '', ...others] = runIds;
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
