import type { Json } from '@baton/protocol';
import { callerOf, type Routes, refusal } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';

import { setVariables } from '../engine.ts';
import { RunParams } from './run-params.ts';

/** Writing a run's variables from outside, to see what a run under way does and does not notice. */

const Variables = Type.Object(
  { variables: Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' }) },
  { additionalProperties: false },
);

type VariablesRequest = FastifyRequest<{ Params: RunParams; Body: Type.Static<typeof Variables> }>;

export const variablesSeam: Routes = (app, host) => {
  app.post(
    '/v1/host/sample/test/runs/:runId/variables',
    { schema: { params: RunParams, body: Variables }, config: { access: 'runs:create' } },
    async (request: VariablesRequest) => {
      const { runId } = request.params;
      const { variables } = request.body;
      const outcome = await host.engine.execute(setVariables(callerOf(request), runId, variables));
      if (!outcome.ok) throw refusal(outcome.error);
      return { runId };
    },
  );
};
