import { DebugBundle } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { callerOf } from '../auth/bearer.ts';
import { carryOut } from '../http/command.ts';
import type { Routes } from '../http/context.ts';
import { idempotencyOf } from '../http/idempotency.ts';
import { BUNDLE_BYTES } from './debug-bundle.ts';

/** A bundle holds events and memory, and a little about them. */
const BODY_BYTES = 3 * BUNDLE_BYTES;

const Imported = Type.Object({
  runId: Type.String(),
  runs: Type.Integer({ description: 'How many runs were taken in' }),
  verified: Type.Boolean({ description: 'Every log led to the link of the hash chain that it came with' }),
});

export const importRunRoute: Routes = (app, host) => {
  app.post(
    '/v1/runs::import',
    {
      bodyLimit: BODY_BYTES,
      schema: {
        tags: ['runs'],
        summary: 'Take in a run that another Baton has exported',
        description:
          'The tree must have ended. It becomes history of the caller’s tenant: it can be read, audited, ' +
          'forked and replayed, and nothing moves it.',
        body: DebugBundle,
        response: { 201: Imported },
      },
      config: { access: 'runs:create' },
    },
    async (request: FastifyRequest, reply) => {
      const command = {
        kind: 'import-run',
        caller: callerOf(request),
        idempotency: idempotencyOf(request),
        bundle: request.body,
      } as const;
      const { runId, runs, verified } = await carryOut(host.engine, reply, command, 'imported');
      return reply.code(201).header('location', `/v1/runs/${runId}`).send({ runId, runs, verified });
    },
  );
};
