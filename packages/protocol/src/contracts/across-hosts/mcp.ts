import Type from 'typebox';
import { json, type Routes } from '../contract.ts';

/**
 * The routes of the Model Context Protocol. Their bodies are those of MCP 2025-11-25 and 2026-07-28, which are not
 * repeated here: the contracts hold the envelope only.
 */

/** An answer, or in a stream also a notification or a question to the client. */
const Message = Type.Object({ jsonrpc: Type.Literal('2.0') });

const SESSION_HEADER = Type.Object({
  'mcp-session-id': Type.Optional(
    Type.String({ description: 'The session of a client of 2025, as the answer to `initialize` named it' }),
  ),
});

const STREAM = {
  description: 'A stream of messages',
  content: { 'text/event-stream': Type.String() },
} as const;

/** Refusals of the protocol itself, as JSON-RPC errors. */
const REFUSED = {
  400: json(Message, 'The request is not one of MCP'),
  404: json(Message, 'The session or the method is not known'),
  406: json(Message, 'The client does not accept the media types of MCP'),
} as const;

export const MCP_CONTRACTS = {
  callMcp: {
    method: 'POST',
    path: '/v1/mcp',
    access: 'runs:create',
    peers: true,
    idempotent: 'never',
    tag: 'mcp',
    summary: 'A message of the Model Context Protocol',
    description:
      'Published workflows and agents are tools. The call of a tool lasts as long as its run; `baton_start` answers at ' +
      'once. Two calls with the same `_meta["dev.baton/idempotencyKey"]` are one run.',
    headers: SESSION_HEADER,
    body: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
    responses: {
      ...REFUSED,
      200: {
        description: 'The answer, or a stream of messages that ends with the answer',
        content: { 'application/json': Message, 'text/event-stream': Type.String() },
      },
      202: { description: 'The notification was taken', content: {} },
    },
    frames: Message,
    refusals: [],
  },
  listenMcp: {
    method: 'GET',
    path: '/v1/mcp',
    access: 'runs:create',
    peers: true,
    idempotent: 'always',
    tag: 'mcp',
    summary: 'The messages of the host to a session of MCP',
    headers: SESSION_HEADER,
    responses: { ...REFUSED, 200: STREAM, 409: json(Message, 'The session has such a stream already') },
    frames: Message,
    refusals: [],
  },
  endMcpSession: {
    method: 'DELETE',
    path: '/v1/mcp',
    access: 'runs:create',
    peers: true,
    idempotent: 'always',
    tag: 'mcp',
    summary: 'Close a session of MCP',
    description: 'Calls of the session that are under way are cancelled.',
    headers: SESSION_HEADER,
    responses: { ...REFUSED, 200: { description: 'The session is closed', content: {} } },
    refusals: [],
  },
} as const satisfies Routes;
