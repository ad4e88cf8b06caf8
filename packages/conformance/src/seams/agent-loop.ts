import { randomUUID } from 'node:crypto';
import { DEFAULT_WORKSPACE, invalid, type RunEvent } from '@baton/protocol';
import { callerOf, type HostContext, type Routes } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Definition, driveRun, eventsOf } from './driven-run.ts';

/** A supervisor's loop of a given length, which may stop to ask on the way, or have a file written. */

const MAX_TURNS = 100;
const TurnNumber = Type.Integer({ minimum: 1, maximum: MAX_TURNS });

const Request = Type.Object(
  {
    turns: TurnNumber,
    suspendAtTurn: Type.Optional(TurnNumber),
    resume: Type.Optional(Type.Boolean()),
    workspaceWriteAtTurn: Type.Optional(TurnNumber),
  },
  { additionalProperties: false },
);
type Request = Type.Static<typeof Request>;

export const agentLoopSeam: Routes = (app, host) => {
  app.post(
    '/v1/host/sample/agentloop/run',
    { schema: { body: Request }, config: { access: 'workflows:write' } },
    async (request: FastifyRequest<{ Body: Request }>, reply) => {
      checkTurns(request.body);
      const { workspaceWriteAtTurn, resume = false } = request.body;
      const path = `seam/${randomUUID()}.md`;
      const run = await driveRun(host, request, reply, [loopOf(request.body), WORKER, SIGHTED, WRITER], {
        path,
      });
      const suspended = (await run.status()) === 'waiting-input';
      if (suspended && resume) await run.answer('dispatch', { answers: { answer: 'Go on.' } });
      const status = await run.status();
      const events = await run.events();
      if (status === 'waiting-input') await run.abandon();
      if (workspaceWriteAtTurn !== undefined) await removeFile(host, request, path);
      return {
        runId: run.runId,
        decisions: eventsOf(events, 'runOrchestrator.decided').map(({ payload }) => ({
          iteration: payload.iteration,
          kind: payload.decision.kind,
        })),
        ...(suspended && resume && { resumedIteration: iterationAtResume(events) }),
        ...(workspaceWriteAtTurn !== undefined && {
          workspaceVisible: {
            atWriteTurn: sawFile(events, workspaceWriteAtTurn),
            atNextTurn: sawFile(events, workspaceWriteAtTurn + 1),
          },
        }),
        status,
      };
    },
  );
};

function checkTurns({ turns, suspendAtTurn, workspaceWriteAtTurn }: Request): void {
  for (const [field, turn] of Object.entries({ suspendAtTurn, workspaceWriteAtTurn })) {
    if (turn === undefined || turn < turns) continue;
    const problem = 'must come before the last turn, which ends the loop';
    throw invalid('The body', { field, problem });
  }
  if (workspaceWriteAtTurn === undefined || workspaceWriteAtTurn !== suspendAtTurn) return;
  const problem = 'must be another turn than the one that asks';
  throw invalid('The body', { field: 'workspaceWriteAtTurn', problem });
}

/** The turn that the loop was in when its answer arrived. */
function iterationAtResume(events: readonly RunEvent[]): number | undefined {
  const resumed = events.find((event) => event.type === 'node.resumed');
  return eventsOf(events, 'runOrchestrator.decided').findLast(
    (event) => resumed !== undefined && event.sequence < resumed.sequence,
  )?.payload.iteration;
}

const WORKER = workerOf('baton-seam-loop-worker', { id: 'work', typeId: 'core.noop' });
/** Sent instead by a turn that sees the file; nothing else says what a supervisor saw. */
const SIGHTED = workerOf('baton-seam-loop-sighted', { id: 'work', typeId: 'core.noop' });
const WRITER = workerOf('baton-seam-loop-writer', {
  id: 'write',
  typeId: 'vendor.baton.workspace.write',
  config: { content: 'Written in a turn of the loop.' },
  inputs: { path: { type: 'variable', variableName: 'path' } },
});

function workerOf(id: string, node: object): Definition {
  return { id, nodes: [node], variables: [{ name: 'path', type: 'string' }] };
}

function sawFile(events: readonly RunEvent[], iteration: number): boolean | undefined {
  const turn = eventsOf(events, 'runOrchestrator.decided').find(
    ({ payload }) => payload.iteration === iteration,
  );
  return turn && JSON.stringify(turn.payload.decision).includes(SIGHTED.id);
}

async function removeFile(host: HostContext, request: FastifyRequest, path: string): Promise<void> {
  const asked = { caller: callerOf(request), workspace: DEFAULT_WORKSPACE, path };
  // A loop that was stopped before its writer has left no file behind.
  await host.engine.execute({ kind: 'delete-file', ...asked });
}

/** The name follows from the plan: calls at the same time must not get each other's. */
function loopOf({ turns, suspendAtTurn, workspaceWriteAtTurn }: Request): Definition {
  const plan = [turns, suspendAtTurn ?? 0, workspaceWriteAtTurn ?? 0];
  const sees = 'turn.workspace.exists(file, file.path == variables.path)';
  const word =
    workspaceWriteAtTurn === undefined ? `"${WORKER.id}"` : `${sees} ? "${SIGHTED.id}" : "${WORKER.id}"`;
  const decision = [
    `turn.iteration == ${plan[0]} ? {"kind": "terminate", "reason": word}`,
    `turn.iteration == ${plan[1]} ? {"kind": "ask-user", "prompt": "Shall the loop go on? " + word}`,
    `turn.iteration == ${plan[2]} ? {"kind": "next-worker", "nextWorkerIds": [word, "${WRITER.id}"]}`,
    '{"kind": "next-worker", "nextWorkerIds": [word]}',
  ].join(' : ');
  // Looked at once, however the turn goes on.
  const decide = `[${word}].map(word, ${decision})[0]`;
  const config = workspaceWriteAtTurn === undefined ? {} : { inputMapping: { path: 'path' } };
  return {
    id: `baton-seam-loop-${plan.join('-')}`,
    variables: [{ name: 'path', type: 'string' }],
    nodes: [
      { id: 'supervisor', typeId: 'core.orchestrator.supervisor', settings: { decide } },
      { id: 'dispatch', typeId: 'core.dispatch', config },
    ],
    edges: [
      { sourceNodeId: 'supervisor', targetNodeId: 'dispatch' },
      { sourceNodeId: 'dispatch', targetNodeId: 'supervisor' },
    ],
  };
}
