import type { Caller } from '@baton/engine';
import type { Json, RunEvent } from '@baton/protocol';
import { callerOf, carryOut, type HostContext, identityOf, type Routes } from '@baton/server/extension';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { eventsOf, readLog, register } from './driven-run.ts';

/** A run of its own that waits at a gate, and one attempt to get it through as whoever is named. */

const NODE = 'gate';
const GATE = {
  id: 'baton-seam-approval-gate',
  nodes: [
    {
      id: NODE,
      typeId: 'core.approvalGate',
      config: {
        title: 'Only its approvers, or an override, open this gate.',
        actions: ['accept', 'reject'],
        requiredApprovals: 2,
        approversList: ['baton-seam-approver-1', 'baton-seam-approver-2'],
        overrideBypassesQuorum: true,
      },
    },
  ],
};

const Attempt = Type.Object({
  scenario: Type.Unsafe<'unauthorized-grant' | 'override'>({ enum: ['unauthorized-grant', 'override'] }),
  principal: Type.String({ minLength: 1, maxLength: 256 }),
  reason: Type.Optional(Type.String({ maxLength: 1024 })),
});
type Attempt = Type.Static<typeof Attempt>;
type GateRequest = FastifyRequest<{ Body: Attempt }>;

export const approvalGateSeam: Routes = (app, host) => {
  app.post(
    '/v1/host/sample/governance/approval-gate',
    { schema: { body: Attempt }, config: { access: 'workflows:write' } },
    async (request: GateRequest, reply) => {
      const caller = callerOf(request);
      const runId = await startGate(host, reply, caller);
      const answer = await host.engine.execute({
        kind: 'resolve-interrupt',
        caller: { ...caller, principal: request.body.principal },
        runId,
        target: { nodeId: NODE },
        resumeValue: answerOf(request.body),
        viaToken: false,
        scopes: [...identityOf(request).scopes],
      });
      const released = answer.ok && answer.value.kind === 'run' && answer.value.status === 'completed';
      if (!released)
        await host.engine.execute({ kind: 'cancel-run', caller, runId, reason: 'The seam is done.' });
      const event = await overrideIn(host, caller.tenant, runId);
      return { released, ...(event && { event }), ...(!answer.ok && { refusal: answer.error }) };
    },
  );
};

async function startGate(host: HostContext, reply: FastifyReply, caller: Caller): Promise<string> {
  await register(host, caller, GATE);
  const command = { kind: 'create-run', caller, body: { workflowId: GATE.id }, scopes: [] } as const;
  return (await carryOut(host.engine, reply, command, 'run')).runId;
}

function answerOf({ scenario, reason }: Attempt): Json {
  if (scenario === 'unauthorized-grant') return { action: 'accept' };
  return { action: 'accept', override: true, ...(reason !== undefined && { reason }) };
}

/** Read back from the log, so that the answer tells what was recorded and nothing else. */
async function overrideIn(
  host: HostContext,
  tenant: string,
  runId: string,
): Promise<Pick<RunEvent, 'type' | 'payload'> | undefined> {
  const [overridden] = eventsOf(await readLog(host, { tenant, runId }), 'approval.overridden');
  return overridden && { type: overridden.type, payload: overridden.payload };
}
