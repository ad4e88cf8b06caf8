import type { RunEvent } from '@baton/protocol';
import { identityOf, type Routes } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { readLog } from './driven-run.ts';
import { RunParams } from './run-params.ts';

/** The durable log of a run, filtered. A run that does not exist has an empty one. */

const Filters = Type.Object({
  type: Type.Optional(Type.String()),
  correlationId: Type.Optional(Type.String()),
  causationId: Type.Optional(Type.String()),
  nodeId: Type.Optional(Type.String()),
});
type Filters = Type.Static<typeof Filters>;

type LogRequest = FastifyRequest<{ Params: RunParams; Querystring: Filters }>;

export const eventLogSeam: Routes = (app, host) => {
  app.get(
    '/v1/host/sample/test/runs/:runId/events',
    { schema: { params: RunParams, querystring: Filters }, config: { access: 'runs:read' } },
    async (request: LogRequest) => {
      const run = { tenant: identityOf(request).tenant, runId: request.params.runId };
      const events = await readLog(host, run);
      return { events: events.filter((event) => passes(event, request.query)) };
    },
  );
};

function passes(event: RunEvent, { type, correlationId, causationId, nodeId }: Filters): boolean {
  const inPayload = 'correlationId' in event.payload ? event.payload.correlationId : undefined;
  return (
    (type === undefined || event.type === type) &&
    (causationId === undefined || event.causationId === causationId) &&
    (nodeId === undefined || event.nodeId === nodeId) &&
    (correlationId === undefined || inPayload === correlationId)
  );
}
