import { CONTRACTS } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import type { McpEndpoint } from './serve.ts';

/** MCP, the protocol with which models and their hosts call tools. */

export const mcpRoutes: Routes = (app, host) => {
  let loaded: Promise<McpEndpoint> | undefined;
  /** Loaded with the first request, because loading the SDK takes time that a start should not. */
  const endpoint = () =>
    (loaded ??= import('./serve.ts').then(({ createMcpEndpoint }) => createMcpEndpoint(host)));
  const serve = async (request: FastifyRequest, reply: FastifyReply) =>
    (await endpoint()).serve(request, reply);

  bind(app, CONTRACTS.callMcp, serve);
  bind(app, CONTRACTS.listenMcp, serve);
  bind(app, CONTRACTS.endMcpSession, serve);
  app.addHook('onClose', async () => (await loaded)?.stop());
};
