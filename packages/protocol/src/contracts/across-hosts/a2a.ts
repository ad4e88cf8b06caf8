import Type from 'typebox';
import { closed } from '../../schemas/parts.ts';
import { json, type RouteContract, type Routes } from '../contract.ts';

/**
 * The routes of the A2A protocol. Their bodies are those of A2A 1.0 and 0.3, which are not repeated here: the
 * contracts hold the envelope only.
 */

const RpcId = Type.Union([Type.String({ maxLength: 256 }), Type.Integer(), Type.Null()]);

const RpcAnswer = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: RpcId,
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(
      Type.Object(
        { code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) },
        closed,
      ),
    ),
  },
  closed,
);

const VERSION_HEADER = Type.Object({
  'a2a-version': Type.Optional(
    Type.String({
      description: '`1.0` or `0.3`. Absent: the name of the method tells the version.',
    }),
  ),
});

/** One card for clients of both versions: it has the fields of both. */
const AgentCardDocument = Type.Object({
  name: Type.String(),
  description: Type.String(),
  version: Type.String(),
  url: Type.String({ format: 'uri' }),
  protocolVersion: Type.Literal('0.3.0'),
  preferredTransport: Type.Literal('JSONRPC'),
  supportedInterfaces: Type.Array(
    Type.Object({
      url: Type.String({ format: 'uri' }),
      protocolBinding: Type.String(),
      protocolVersion: Type.String(),
    }),
    { minItems: 1 },
  ),
  capabilities: Type.Object({
    streaming: Type.Boolean(),
    pushNotifications: Type.Boolean(),
    extensions: Type.Array(Type.Object({ uri: Type.String() })),
  }),
  defaultInputModes: Type.Array(Type.String()),
  defaultOutputModes: Type.Array(Type.String()),
  skills: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), description: Type.String() })),
  signatures: Type.Array(Type.Object({ protected: Type.String(), signature: Type.String() })),
});

const readAgentCard = {
  method: 'GET',
  path: '/.well-known/agent-card.json',
  access: 'public',
  idempotent: 'always',
  tag: 'a2a',
  summary: 'The A2A card of this host, signed with its audit key',
  description: 'Its skills are the workflows and agents that the operator has published to everybody.',
  responses: { 200: json(AgentCardDocument) },
  refusals: [],
} as const satisfies RouteContract;

export const A2A_CONTRACTS = {
  callA2a: {
    method: 'POST',
    path: '/v1/a2a',
    access: 'runs:read',
    peers: true,
    idempotent: 'always',
    tag: 'a2a',
    summary: 'A request of the A2A protocol, as JSON-RPC',
    description:
      'A task is a run: both have the same id. The `messageId` of a message is its idempotency key. Errors of A2A ' +
      'are JSON-RPC errors with the status 200. Errors about the key, the scope or the load of the host have the ' +
      'status and the body that they have at every other address.',
    headers: VERSION_HEADER,
    body: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
    responses: {
      200: {
        description: 'The answer, or a stream of answers',
        content: { 'application/json': RpcAnswer, 'text/event-stream': Type.String() },
      },
    },
    frames: RpcAnswer,
    refusals: [],
  },
  readAgentCard,
  readAgentCardAlias: {
    ...readAgentCard,
    path: '/v1/a2a/agent.json',
    summary: 'The A2A card of this host, at another address',
  },
} as const satisfies Routes;
