import { MAX_ANSWER_CHARACTERS } from '@baton/agents';
import { callerOf } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type MockEntry, STOP_REASONS } from './mock-model.ts';
import type { SeamRoutes } from './state.ts';

/** Telling the mock provider what to say to a node. */

const Text = Type.String({ maxLength: 2 * MAX_ANSWER_CHARACTERS });

const Program = Type.Object(
  {
    nodeId: Type.String({ minLength: 1, maxLength: 128 }),
    program: Type.Array(
      Type.Object(
        {
          content: Type.Optional(Text),
          stopReason: Type.Optional(
            Type.Unsafe<NonNullable<MockEntry['stopReason']>>({ enum: [...STOP_REASONS] }),
          ),
          refusalText: Type.Optional(Text),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 64 },
    ),
  },
  { additionalProperties: false },
);

type ProgramRequest = FastifyRequest<{ Body: Type.Static<typeof Program> }>;

export const mockAiSeam: SeamRoutes = (app, _host, { mock }) => {
  app.post(
    '/v1/host/sample/test/mock-ai/program',
    { schema: { body: Program }, config: { access: 'runs:create' } },
    async (request: ProgramRequest) => {
      const { nodeId, program } = request.body;
      mock.program(callerOf(request).tenant, nodeId, program);
      return { nodeId, entries: program.length };
    },
  );
};
