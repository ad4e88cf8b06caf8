import type { RunEvent } from '@baton/protocol';
import { createPages, identityOf, type Routes } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
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
      const pages = createPages(host.reads, run, 0);
      const events: RunEvent[] = [];
      for (let page = await pages.read(); page.length > 0; page = await pages.read()) {
        for (const text of page) {
          const event: RunEvent = JSON.parse(text);
          if (passes(event, request.query)) events.push(event);
        }
      }
      return { events };
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
