import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * The limit of HTTP: Fastify answers the two requests of a run without an engine. The body is checked against
 * a schema, and the events are those of a real run, the same bytes each time.
 *
 *   node fastify-twin.mjs <file with a captured stream>
 */

// Fastify is a dependency of the server package, so it is resolved from there.
const require = createRequire(new URL('../../packages/server/package.json', import.meta.url));
const { fastify } = require('fastify');

const stream = readFileSync(process.argv[2]);
const app = fastify();

app.post(
  '/v1/runs',
  {
    schema: {
      body: {
        type: 'object',
        required: ['workflowId'],
        properties: { workflowId: { type: 'string', minLength: 1 }, inputs: { type: 'object' } },
        additionalProperties: false,
      },
      response: {
        201: {
          type: 'object',
          properties: {
            runId: { type: 'string' },
            status: { type: 'string' },
            eventsUrl: { type: 'string' },
            statusUrl: { type: 'string' },
          },
        },
      },
    },
  },
  async (_request, reply) => {
    const runId = randomUUID();
    const statusUrl = `/v1/runs/${runId}`;
    reply.code(201).header('location', statusUrl);
    return { runId, status: 'completed', eventsUrl: `${statusUrl}/events`, statusUrl };
  },
);

app.get('/v1/runs/:runId/events', async (_request, reply) =>
  reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-cache').send(stream),
);

console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
