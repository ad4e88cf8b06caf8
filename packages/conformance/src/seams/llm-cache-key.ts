import { llmCacheKey, ModelRequest } from '@baton/protocol';
import type { Routes } from '@baton/server/extension';
import type { FastifyRequest } from 'fastify';

/** The key of a model request, for suites that compute it themselves and compare. */

type KeyRequest = FastifyRequest<{ Body: ModelRequest }>;

export const llmCacheKeySeam: Routes = (app) => {
  app.post(
    '/v1/host/sample/test/llm-cache-key',
    { schema: { body: ModelRequest }, config: { access: 'runs:read' } },
    async (request: KeyRequest) => ({ cacheKey: llmCacheKey(request.body) }),
  );
};
