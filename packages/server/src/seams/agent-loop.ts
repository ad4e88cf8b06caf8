import { invalid, type RunEvent } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Routes } from '../http/context.ts';
import { type Definition, driveRun, eventsOf } from './driven-run.ts';

/** A supervisor's loop of a given length, which may stop to ask on the way. */

const MAX_TURNS = 100;

const Request = Type.Object(
  {
    turns: Type.Integer({ minimum: 1, maximum: MAX_TURNS }),
    suspendAtTurn: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TURNS })),
    resume: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
type Request = Type.Static<typeof Request>;

export const agentLoopSeam: Routes = (app, host) => {
  app.post(
    '/v1/host/sample/agentloop/run',
    { schema: { hide: true, body: Request }, config: { access: 'workflows:write' } },
    async (request: FastifyRequest<{ Body: Request }>, reply) => {
      const { suspendAtTurn, turns, resume = false } = request.body;
      if (suspendAtTurn !== undefined && suspendAtTurn >= turns) {
        const problem = 'must come before the last turn, which ends the loop';
        throw invalid('The body', { field: 'suspendAtTurn', problem });
      }
      const run = await driveRun(host, request, reply, [loopOf(request.body), WORKER]);
      const suspended = run.status() === 'waiting-input';
      if (suspended && resume) await run.answer('dispatch', { answers: { answer: 'Go on.' } });
      const status = run.status();
      const events = run.events();
      if (status === 'waiting-input') await run.abandon();
      return {
        runId: run.runId,
        decisions: eventsOf(events, 'runOrchestrator.decided').map(({ payload }) => ({
          iteration: payload.iteration,
          kind: payload.decision.kind,
        })),
        ...(suspended && resume && { resumedIteration: iterationAtResume(events) }),
        status,
      };
    },
  );
};

/** The turn that the loop was in when its answer arrived. */
function iterationAtResume(events: readonly RunEvent[]): number | undefined {
  const resumed = events.find((event) => event.type === 'node.resumed');
  return eventsOf(events, 'runOrchestrator.decided').findLast(
    (event) => resumed !== undefined && event.sequence < resumed.sequence,
  )?.payload.iteration;
}

const WORKER: Definition = {
  id: 'baton-seam-loop-worker',
  nodes: [{ id: 'work', typeId: 'core.noop' }],
};

/** The name follows from the plan: calls at the same time must not get each other's. */
function loopOf({ turns, suspendAtTurn }: Request): Definition {
  const turn = (number: number) => {
    if (number === turns) return { kind: 'terminate' };
    if (number === suspendAtTurn) return { kind: 'ask-user', prompt: 'Shall the loop go on?' };
    return { kind: 'next-worker', nextWorkerIds: [WORKER.id] };
  };
  const mockDispatchPlan = Array.from({ length: turns }, (_, index) => turn(index + 1));
  return {
    id: `baton-seam-loop-${turns}${suspendAtTurn === undefined ? '' : `-${suspendAtTurn}`}`,
    nodes: [
      { id: 'supervisor', typeId: 'core.orchestrator.supervisor', config: { mockDispatchPlan } },
      { id: 'dispatch', typeId: 'core.dispatch' },
    ],
    edges: [
      { sourceNodeId: 'supervisor', targetNodeId: 'dispatch' },
      { sourceNodeId: 'dispatch', targetNodeId: 'supervisor' },
    ],
  };
}
