import { BatonError, CONTRACTS, isTerminal, isWaiting } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { callerOf, identityOf } from '../auth/bearer.ts';
import { waitForRun } from '../events/wait.ts';
import { bind, type RequestTo } from '../http/bind.ts';
import { carryOut } from '../http/command.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { waitSeconds } from '../http/prefer.ts';
import { traceparentOf } from '../http/traceparent.ts';
import { readSnapshot } from './snapshot.ts';

type CreateRequest = RequestTo<typeof CONTRACTS.createRun>;

export const createRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.createRun, (request, reply) => createRun(host, request, reply));
};

async function createRun(host: HostContext, request: CreateRequest, reply: FastifyReply): Promise<unknown> {
  const { body } = request;
  const caller = callerOf(request);
  if (body.tenantId !== undefined && body.tenantId !== caller.tenant) {
    throw new BatonError('forbidden', 'This key cannot start runs for that tenant.', { field: 'tenantId' });
  }
  const created = await carryOut(
    host.engine,
    reply,
    {
      kind: 'create-run',
      caller,
      body,
      scopes: [...identityOf(request).scopes],
      idempotency: idempotencyOf(request),
      traceparent: traceparentOf(request, reply),
    },
    'run',
  );
  host.metrics.runsCreated.inc();
  const statusUrl = `/v1/runs/${created.runId}`;
  reply.code(201).header('location', statusUrl);
  const links = { eventsUrl: `${statusUrl}/events`, statusUrl };
  const seconds = waitSeconds(request.headers.prefer);
  if (seconds === undefined) return { runId: created.runId, status: created.status, ...links };

  const run = { tenant: caller.tenant, runId: created.runId };
  await waitForRun(
    host,
    reply.raw,
    run,
    seconds * 1000,
    ({ status }) => isTerminal(status) || isWaiting(status),
  );
  reply.header('preference-applied', 'wait');
  return { ...(await readSnapshot(host, created.runId, identityOf(request))), ...links };
}
