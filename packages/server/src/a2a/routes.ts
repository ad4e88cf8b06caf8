import { CONTRACTS } from '@baton/protocol';
import type { FastifyReply } from 'fastify';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import type { A2aServer } from './serve.ts';

/** A2A, the protocol with which agents of different hosts work for each other. */

export const a2aRoutes: Routes = (app, host) => {
  let loaded: Promise<A2aServer> | undefined;
  /** Loaded with the first request, because the SDK takes more than a tenth of a second to load. */
  const server = () => (loaded ??= import('./serve.ts').then(({ createA2aServer }) => createA2aServer(host)));

  bind(app, CONTRACTS.callA2a, async (request, reply) => (await server()).serve(request, reply));

  const sendCard = async (_request: unknown, reply: FastifyReply) => {
    reply.header('cache-control', 'public, max-age=60');
    return (await server()).card();
  };
  bind(app, CONTRACTS.readAgentCard, sendCard);
  bind(app, CONTRACTS.readAgentCardAlias, sendCard);
};
