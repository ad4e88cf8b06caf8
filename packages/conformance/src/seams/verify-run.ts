import { VERDICTS, type Verdict } from '@baton/protocol';
import type { Routes } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Definition, driveRun, eventsOf } from './driven-run.ts';

/** A supervised worker whose critic says what it is told to. */

const Request = Type.Object(
  { simulateVerdict: Type.Unsafe<Verdict>({ enum: [...VERDICTS] }) },
  { additionalProperties: false },
);

export const verifySeam: Routes = (app, host) => {
  app.post(
    '/v1/host/sample/agents/verify-run',
    { schema: { body: Request }, config: { access: 'workflows:write' } },
    async (request: FastifyRequest<{ Body: Type.Static<typeof Request> }>, reply) => {
      const inputs = { verdict: request.body.simulateVerdict };
      const run = await driveRun(host, request, reply, [SUPERVISED, WORKER, CRITIC], inputs);
      // Over a standing objection the supervisor cannot end the run: a person is asked.
      const escalated = (await run.status()) === 'waiting-approval';
      if (escalated) await run.abandon();
      const events = await run.events();
      return {
        runId: run.runId,
        status: escalated ? 'escalated' : await run.status(),
        committed: eventsOf(events, 'baton.merge.settled').some((event) => event.payload.merged),
        events: eventsOf(events, 'agent.verified').map(({ type, payload }) => ({ type, ...payload })),
      };
    },
  );
};

const WORKER: Definition = {
  id: 'baton-seam-verify-worker',
  nodes: [{ id: 'work', typeId: 'core.noop' }],
};

/** The worker's result is the verdict, so one critic can say them all. */
const CRITIC: Definition = {
  id: 'baton-seam-verify-critic',
  nodes: [
    { id: 'judge', typeId: 'vendor.baton.set', config: { assign: { verdict: 'inputs.outputs.verdict' } } },
  ],
};

const SUPERVISED: Definition = {
  id: 'baton-seam-verify-run',
  nodes: [
    {
      id: 'supervisor',
      typeId: 'core.orchestrator.supervisor',
      config: {
        script: [{ kind: 'next-worker', nextWorkerIds: [WORKER.id] }, { kind: 'terminate' }],
      },
    },
    {
      id: 'dispatch',
      typeId: 'core.dispatch',
      config: { inputMapping: { verdict: 'verdict' }, outputMapping: { result: 'verdict' } },
      settings: { verifier: { workflowId: CRITIC.id } },
    },
  ],
  edges: [
    { sourceNodeId: 'supervisor', targetNodeId: 'dispatch' },
    { sourceNodeId: 'dispatch', targetNodeId: 'supervisor' },
  ],
};
