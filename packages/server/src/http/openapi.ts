import { ErrorEnvelope } from '@baton/protocol';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { VERSION } from '../version.ts';
import type { Routes } from './context.ts';

/** The API description is made from the schemas that validate the requests, so the two always agree. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Baton',
        description: 'A durable host for multi-agent workflows. It speaks OpenWOP v1.',
        version: VERSION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    },
    transform({ schema, url, route }) {
      if (schema.hide === true) return { schema, url };
      const access = route.config?.access;
      const needs = access === 'public' ? { security: [] } : { security: [{ key: [] }], 'x-scope': access };
      const answers = { ...(schema.response as object | undefined), '4xx': REFUSED };
      const place = url.endsWith('/*') ? { params: REST } : {};
      return {
        schema: { ...schema, ...needs, ...place, response: answers },
        url: url.replace(/\*$/, ':path'),
      };
    },
  });
}

/** The rest of an address, with its slashes. */
const REST = Type.Object({ path: Type.String({ description: 'Slashes may be escaped as %2F' }) });
const REFUSED = { ...ErrorEnvelope, description: 'Refused; `error` is a code from the catalogue' };

export const openApiRoutes: Routes = (app) => {
  let text: string | undefined;
  app.get('/v1/openapi.json', { schema: { hide: true }, config: { access: 'public' } }, (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    reply.header('cache-control', 'public, max-age=60').type('application/json; charset=utf-8').send(text);
  });
};
