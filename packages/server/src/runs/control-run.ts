import type { CancelCommand, Reply } from '@baton/engine';
import { CONTRACTS, invalid, MAX_BULK_CANCEL } from '@baton/protocol';
import type { FastifyReply, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { callerOf } from '../auth/bearer.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import { carryOut } from '../http/command.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { refusal } from '../http/errors.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { compileCheck } from '../http/validation.ts';

function askedBy(request: FastifyRequest<{ Params: { readonly runId: string } }>) {
  return {
    caller: callerOf(request),
    idempotency: idempotencyOf(request),
    runId: request.params.runId,
  };
}

export const cancelRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.cancelRun, async (request, reply) => {
    const { reason } = request.body;
    const command = { kind: 'cancel-run', ...askedBy(request), reason } as const;
    const { runId, status } = await carryOut(host.engine, reply, command, 'run');
    return { runId, status };
  });
};

export const pauseRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.pauseRun, async (request, reply) => {
    const { reason, drainPolicy = 'drain-current-node' } = request.body;
    const command = { kind: 'pause-run', ...askedBy(request), reason, drainPolicy } as const;
    const { runId, status } = await carryOut(host.engine, reply, command, 'run');
    return reply.code(202).send({ runId, status });
  });
};

export const resumeRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.resumeRun, async (request, reply) => {
    const command = { kind: 'resume-run', ...askedBy(request) } as const;
    const { runId, status } = await carryOut(host.engine, reply, command, 'run');
    return reply.code(202).send({ runId, status });
  });
};

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

export const eraseRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.eraseRun, async (request, reply) => {
    const command = {
      kind: 'erase-run',
      caller: callerOf(request),
      idempotency: idempotencyOf(request),
      runId: request.params.runId,
      reason: request.body.reason,
    } as const;
    const { runId, runs } = await carryOut(host.engine, reply, command, 'erased');
    return { runId, erased: true, runs };
  });
};
