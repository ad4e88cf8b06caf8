import { digest, type Json, type JsonObject, type RunEvent } from '@baton/protocol';
import type { Routes } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Definition, type DrivenRun, driveRun, eventsOf } from './driven-run.ts';

/** A child that hands over given outputs to a parent with a given gate. */

const Bag = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });
const ACTIONS = ['accept', 'edit-accept', 'reject', 'ask', 'expired'] as const;
/** How long the question stays open that nobody is to answer in time. */
const EXPIRES_AFTER_MS = 1;

const Request = Type.Object(
  {
    childOutputs: Bag,
    outputAttestation: Bag,
    approvalAction: Type.Optional(Type.Unsafe<(typeof ACTIONS)[number]>({ enum: [...ACTIONS] })),
    editedArtifactData: Type.Optional(Bag),
  },
  { additionalProperties: false },
);
type Request = Type.Static<typeof Request>;

export const attestSeam: Routes = (app, host) => {
  app.post(
    '/v1/host/sample/subrun/attest',
    { schema: { body: Request }, config: { access: 'workflows:write' } },
    async (request: FastifyRequest<{ Body: Request }>, reply) => {
      const { childOutputs } = request.body;
      const run = await driveRun(host, request, reply, [parentOf(request.body), CHILD], given(childOutputs));
      if ((await run.status()) === 'waiting-approval') await answer(run, request.body);
      const events = await run.events();
      const harvestedEvent = eventsOf(events, 'core.workflowChain.event').find(
        (event) => event.payload.phase === 'output.harvested',
      );
      const [settled] = eventsOf(events, 'baton.merge.settled');
      const merged = settled?.payload.merged ?? false;
      return {
        attestation: harvestedEvent?.payload.attestation ?? settled?.payload.attestation,
        harvestedEvent,
        merged,
        ...(merged && { mergedValues: written(events) }),
      };
    },
  );
};

/** Without an answer the question stays open, and the run is ended over it. */
async function answer(run: DrivenRun, { approvalAction, editedArtifactData }: Request): Promise<void> {
  if (approvalAction === 'expired') await run.ended();
  else if (approvalAction !== undefined) {
    await run.answer('call', {
      action: approvalAction,
      ...(editedArtifactData && { editedArtifactData }),
      ...(approvalAction === 'ask' && { question: 'Where is this from?' }),
    });
  }
  if ((await run.status()) === 'waiting-approval') await run.abandon();
}

const CHILD: Definition = {
  id: 'baton-seam-attest-child',
  nodes: [{ id: 'hand-over', typeId: 'core.noop' }],
};

/** Under names of their own, so that what the parent was given is told from what it took over. */
const GIVEN = 'given:';

function given(childOutputs: JsonObject): Record<string, Json> {
  return Object.fromEntries(Object.entries(childOutputs).map(([name, value]) => [GIVEN + name, value]));
}

/** The name follows from the contents: calls at the same time must not get each other's gate. */
function parentOf({ childOutputs, outputAttestation, approvalAction }: Request): Definition {
  const names = Object.keys(childOutputs).sort();
  const config = {
    workflowId: CHILD.id,
    inputMapping: Object.fromEntries(names.map((name) => [name, GIVEN + name])),
    outputMapping: Object.fromEntries(names.map((name) => [name, name])),
    outputAttestation:
      approvalAction === 'expired'
        ? { ...outputAttestation, timeoutMs: EXPIRES_AFTER_MS }
        : outputAttestation,
  };
  const id = `baton-seam-attest-parent-${digest(config).slice(0, 16)}`;
  return { id, nodes: [{ id: 'call', typeId: 'core.subWorkflow', config }] };
}

function written(events: readonly RunEvent[]): JsonObject {
  const values: Record<string, Json> = {};
  for (const { payload } of eventsOf(events, 'variable.changed')) {
    if (payload.next !== undefined) values[payload.name] = payload.next;
  }
  return values;
}
