import { stateAt } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { identityOf } from '../auth/bearer.ts';
import type { Routes } from '../http/context.ts';
import { keptRunOf } from './run-of.ts';
import { RUN, RunParams } from './run-params.ts';

/** The state of a run before any of its events. */

const Query = Type.Object({
  at: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The state before this event. Absent: the present state.' }),
  ),
});
const Bag = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

const State = Type.Object({
  runId: Type.String(),
  at: Type.Integer(),
  time: Type.Optional(Type.String()),
  status: Type.String(),
  iteration: Type.Integer(),
  variables: Bag,
  channels: Bag,
  nodeStates: Bag,
  memory: Bag,
});

type StateRequest = FastifyRequest<{ Params: RunParams; Querystring: Type.Static<typeof Query> }>;

export const runStateRoute: Routes = (app, host) => {
  app.get(
    `${RUN}/state`,
    {
      schema: {
        tags: ['runs'],
        summary: 'The state of a run before any of its events',
        description:
          'Variables, channels, nodes and memory, as a fork from this event would start with them.',
        params: RunParams,
        querystring: Query,
        response: { 200: State },
      },
      config: { access: 'runs:read', heavy: 'read' },
    },
    async (request: StateRequest) => {
      const { tenant } = identityOf(request);
      const row = keptRunOf(host, { tenant, runId: request.params.runId });
      const { at = row.head } = request.query;
      if (at > row.head) {
        throw new BatonError(
          'fork_point_not_found',
          `The run has ${row.head} events; there is no state at ${at}.`,
          {
            at,
            lastSequence: row.head - 1,
          },
        );
      }
      const state = stateAt(host.stored, { tenant, runId: row.runId }, at);
      if (state !== undefined) return state;
      throw new BatonError('replay_memory_snapshot_unavailable', undefined, {
        fromSeq: at,
        sourceRunId: row.runId,
        reason: 'retention_expired',
      });
    },
  );
};
