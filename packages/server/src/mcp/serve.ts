import { createHmac, randomUUID } from 'node:crypto';
import type { StoreChange } from '@baton/engine/ports';
import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { identityOf } from '../auth/bearer.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostContext } from '../http/context.ts';
import { traceparentOf } from '../http/traceparent.ts';
import { createInterruptTokens, type InterruptTokens } from '../interrupts/token.ts';
import { publishedTo } from '../peers/published.ts';
import { workflowOf } from '../published/skills.ts';
import type { HostSettings } from '../settings.ts';
import type { Era, McpCall } from './call.ts';
import { createListeners } from './listeners.ts';
import { sendResponse } from './send-response.ts';
import { mcpServer, type ServerParts } from './server.ts';
import { createSessions, type Sessions, sentMessages } from './sessions.ts';
import { createCallsUnderWay } from './under-way.ts';

/** The MCP side of a host. */
export interface McpEndpoint {
  serve(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  /** Resolves when no call is under way and all sessions are closed. */
  stop(): Promise<void>;
}

type Transport = WebStandardStreamableHTTPServerTransport;

export function createMcpEndpoint(host: HostContext): McpEndpoint {
  const underWay = createCallsUnderWay(host.lingering);
  const parts: ServerParts = { host, states: requestStates(host), underWay };
  const sessions = createSessions<Server>({ now: Date.now });
  const transports = new WeakMap<Server, Transport>();
  // The stream that is sent to the client has comments that keep it open, so the SDK adds none.
  const listeners = createListeners();
  const { bus } = listeners;
  const modern = createMcpHandler(() => mcpServer(parts), { legacy: 'reject', keepAliveMs: 0, bus });
  const stopListening = host.changes((change) => {
    const isTold = (identity: Identity): boolean => changesTools(change, identity, host.settings);
    listeners.tell(isTold);
    for (const { session, identity } of sessions.all()) if (isTold(identity)) tellToolsChanged(host, session);
  });

  async function answer(request: Request, body: unknown, call: McpCall, reply: FastifyReply) {
    if (call.era === '2026') {
      return listeners.during(call.identity, () => modern.fetch(request, optionsFor(call, body)));
    }
    const id = request.headers.get('mcp-session-id');
    if (id === null && isInitializeRequest(body)) {
      return (await openSession(parts, sessions, transports, call)).handleRequest(
        request,
        optionsFor(call, body),
      );
    }
    if (id === null) return noSessionNamed();
    const hold = () => sessions.use(id, call.identity);
    const used = hold();
    if (used === undefined) return noSuchSession();
    reply.raw.once('close', used.leave);
    const transport = transports.get(used.session);
    if (transport === undefined) throw new Error('a session of MCP has no transport');
    return transport.handleRequest(request, optionsFor({ ...call, hold: () => hold()?.leave }, body));
  }

  return {
    async serve(request, reply) {
      const asked = webRequest(request, reply);
      const body: unknown = request.body ?? undefined;
      const era: Era = (await isLegacyRequest(asked, body ?? {})) ? '2025' : '2026';
      const call = { host, identity: identityOf(request), era, traceparent: traceparentOf(request, reply) };
      return sendResponse(call, reply, await answer(asked, body, call, reply));
    },
    async stop() {
      stopListening();
      await underWay.ended();
      await sessions.closeAll();
      await modern.close();
    },
  };
}

/** A session without an open stream is told when its client opens the stream again after a cut. */
function tellToolsChanged({ log }: HostContext, session: Server): void {
  session.sendToolListChanged().catch((err: unknown) => {
    log.warn({ err }, 'a client of MCP could not be told that its tools have changed');
  });
}

/** The SDK hands this to every tool call. Only the host reads it. */
function optionsFor(
  call: McpCall,
  body: unknown,
): { readonly authInfo: AuthInfo; readonly parsedBody?: unknown } {
  const authInfo = { token: '', clientId: call.identity.keyId, scopes: [], extra: { call } };
  return { authInfo, ...(body !== undefined && { parsedBody: body }) };
}

/** The request in the form that the SDK reads, which ignores the address. It is aborted when the client has gone. */
function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const { method, body } = request;
  return new Request('http://localhost/v1/mcp', {
    method,
    headers,
    signal: gone.signal,
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
  });
}

async function openSession(
  parts: ServerParts,
  sessions: Sessions<Server>,
  transports: WeakMap<Server, Transport>,
  { identity }: McpCall,
): Promise<Transport> {
  await sessions.makeRoom(identity);
  const server = mcpServer(parts);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    keepAliveMs: 0,
    eventStore: sentMessages(),
    onsessioninitialized: (id) => sessions.add(id, identity, server),
    onsessionclosed: (id) => sessions.remove(id),
  });
  transports.set(server, transport);
  await server.connect(transport);
  return transport;
}

function noSessionNamed(): Response {
  return refused(400, -32000, 'Name your session in the header Mcp-Session-Id, or begin with initialize.');
}

/** A client that reads this opens a new session. */
function noSuchSession(): Response {
  return refused(404, -32001, 'There is no such session for this caller; begin again with initialize.');
}

function refused(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

/**
 * The state that a client carries from a question to its answer: an HMAC over tenant, run, interrupt and expiry. The
 * key is another one than that of the signed links. Otherwise the state would be a link, with which everybody can
 * answer.
 */
function requestStates({ pushKey, settings }: Pick<HostContext, 'pushKey' | 'settings'>): InterruptTokens {
  const key = createHmac('sha256', pushKey).update('request state of MCP').digest();
  return createInterruptTokens(key, settings.tokenTtlMs, Date.now);
}

/** Whether a caller is shown other tools after a change. */
export function changesTools(
  change: StoreChange,
  identity: Identity,
  settings: Pick<HostSettings, 'publish'>,
): boolean {
  switch (change.kind) {
    case 'missed':
      return true;
    case 'peer':
      return identity.peer?.name === change.name;
    case 'workflow': {
      const isShown = change.tenant === '*' || change.tenant === identity.tenant;
      return isShown && [...publishedTo(identity, settings)].some((id) => workflowOf(id) === change.id);
    }
    case 'moved':
    case 'session':
    case 'scope':
    case 'key':
    case 'secret':
    case 'webhook':
    case 'remote-cancel':
    case 'log':
      return false;
  }
}
