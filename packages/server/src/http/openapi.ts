import { CONTRACTS, openApiDocument } from '@baton/protocol';
import { VERSION } from '../version.ts';
import { bind } from './bind.ts';
import type { Routes } from './context.ts';

/** The API description is made from the contracts that the routes are bound to, so the two always agree. */
export const openApiRoutes: Routes = (app) => {
  let text: string | undefined;
  bind(app, CONTRACTS.describeApi, (_request, reply) => {
    text ??= JSON.stringify(openApiDocument(CONTRACTS, INFO));
    reply.header('cache-control', 'public, max-age=60').type('application/json; charset=utf-8').send(text);
  });
};

const INFO = {
  title: 'Baton',
  description: 'A durable host for multi-agent workflows. It speaks OpenWOP v1.',
  version: VERSION,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;
