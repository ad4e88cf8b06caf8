import Type from 'typebox';
import { AGENT_ID_PATTERN, AgentPackage } from '../schemas/agent.ts';
import { closed, ErrorObject } from '../schemas/parts.ts';
import { RUN_STATUSES, type RunStatus } from '../status.ts';
import { DateTime, json, type Routes } from './contract.ts';

/** Agents: their inventory, their registration, and conversations with them. */

export const AgentEntry = Type.Object(
  {
    agentId: Type.String(),
    persona: Type.String(),
    label: Type.String(),
    description: Type.Optional(Type.String()),
    modelClass: Type.String(),
    packName: Type.String(),
    packVersion: Type.String(),
    toolAllowlist: Type.Array(Type.String()),
    hasHandoffSchemas: Type.Boolean(),
    memoryShape: Type.Optional(
      Type.Object(
        {
          scratchpad: Type.Optional(Type.Boolean()),
          conversation: Type.Optional(Type.Boolean()),
          longTerm: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
    confidenceThreshold: Type.Optional(Type.Number()),
    /** Tools and capabilities that the agent asks for and that this host cannot give it now. */
    degraded: Type.Optional(Type.Array(Type.String())),
    memoryDegraded: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type AgentEntry = Type.Static<typeof AgentEntry>;

const Params = Type.Object({ agentId: Type.String({ pattern: AGENT_ID_PATTERN, maxLength: 256 }) });

const Registered = Type.Object({ agentId: Type.String(), version: Type.Integer() });

const AgentTool = Type.Object(
  {
    id: Type.String({ description: 'As in the allow list of an agent, for example `mcp:files/read_file`' }),
    description: Type.Optional(Type.String()),
    transport: Type.Unsafe<string>({ enum: ['native', 'http', 'mcp'] }),
    scopes: Type.Array(Type.String(), {
      description: 'A run must have these scopes, or the call is refused',
    }),
    approval: Type.Boolean({ description: 'A person has to approve each call' }),
    repeatable: Type.Unsafe<string>({
      enum: ['yes', 'no', 'unknown'],
      description: 'Whether a call is repeated by itself if its outcome was lost in a crash',
    }),
  },
  closed,
);
export type AgentTool = Type.Static<typeof AgentTool>;

export const AGENT_CONTRACTS = {
  registerAgent: {
    method: 'POST',
    path: '/v1/agents',
    access: 'workflows:write',
    idempotent: 'with-key',
    tag: 'agents',
    summary: 'Register an agent, or a new version of one',
    description:
      'Runs that have begun keep the version that they began with. A worker or critic is a run of its own: it has the version that is the newest when it is started.',
    body: AgentPackage,
    responses: {
      200: json(Registered, 'The agent was registered already'),
      201: json(Registered, 'A new version'),
    },
    refusals: [],
  },
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    access: 'manifest:read',
    idempotent: 'always',
    tag: 'agents',
    summary: 'Agents that this key may run',
    responses: {
      200: json(Type.Object({ agents: Type.Array(AgentEntry), total: Type.Integer({ minimum: 0 }) }, closed)),
    },
    refusals: [],
  },
  readAgent: {
    method: 'GET',
    path: '/v1/agents/{agentId}',
    access: 'manifest:read',
    idempotent: 'always',
    tag: 'agents',
    summary: 'An agent, without its prompt',
    params: Type.Object({ agentId: Type.String() }),
    responses: { 200: json(AgentEntry) },
    refusals: [],
  },
  listAgentTools: {
    method: 'GET',
    path: '/v1/agents/{agentId}/tools',
    access: 'manifest:read',
    idempotent: 'always',
    tag: 'agents',
    summary: 'The tools that an agent can call on this host, and what a call needs',
    params: Type.Object({ agentId: Type.String() }),
    responses: {
      200: json(
        Type.Object(
          {
            tools: Type.Array(AgentTool),
            missing: Type.Array(Type.String(), {
              description: 'Tools of its allow list that this host does not have, or cannot reach now',
            }),
          },
          closed,
        ),
      ),
    },
    refusals: [],
  },
  messageAgent: {
    method: 'POST',
    path: '/v1/agents/{agentId}/messages',
    access: 'runs:create',
    idempotent: 'with-key',
    tag: 'agents',
    summary: 'Send a message to an agent',
    description:
      'Each message is a run of the agent, and its result is the reply. The agent is told the earlier turns of the ' +
      'conversation. The host answers when the agent has replied, or after 60 seconds (`Prefer: wait=<seconds>`).',
    params: Params,
    headers: Type.Object({
      prefer: Type.Optional(Type.String({ description: '`wait=<seconds>`, 60 at most' })),
      traceparent: Type.Optional(Type.String({ description: 'W3C trace context; the answer repeats it' })),
    }),
    body: Type.Object(
      {
        message: Type.String({ minLength: 1, maxLength: 65_536 }),
        conversationId: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' })),
      },
      closed,
    ),
    responses: {
      200: json(
        Type.Object({
          conversationId: Type.String(),
          runId: Type.String(),
          status: Type.Unsafe<RunStatus>({ enum: [...RUN_STATUSES] }),
          /** Present when the agent has replied. */
          reply: Type.Optional(Type.String()),
          error: Type.Optional(ErrorObject),
          statusUrl: Type.String(),
        }),
      ),
    },
    refusals: ['run_state_conflict', 'run_held', 'run_unreadable'],
  },
} as const satisfies Routes;

/** Models: which of them serve agents, and whether their providers work. */

const Target = { provider: Type.String(), model: Type.String() };
const Count = Type.Integer({ minimum: 0 });

const ModelClassEntry = Type.Object(
  {
    modelClass: Type.String(),
    ...Target,
    fallbacks: Type.Array(Type.Object(Target, closed), {
      description: 'Models that may answer in place of this one, in this order',
    }),
  },
  closed,
);

const ProviderEntry = Type.Object(
  {
    provider: Type.String(),
    kind: Type.String(),
    state: Type.Unsafe<string>({
      enum: ['working', 'failing', 'unavailable'],
      description:
        '`failing`: the last call failed. `unavailable`: several calls in a row failed, and the provider is not ' +
        'asked for a while.',
    }),
    faultsInARow: Count,
    activeCalls: Count,
    waitingCalls: Count,
    lastFault: Type.Optional(Type.Object({ code: Type.String(), at: DateTime }, closed)),
  },
  closed,
);

export const MODEL_CONTRACTS = {
  listModels: {
    method: 'GET',
    path: '/v1/models',
    access: 'manifest:read',
    idempotent: 'always',
    tag: 'agents',
    summary: 'The classes of models, their providers, and whether these work',
    description: 'Shows no key, header or address of a provider.',
    responses: {
      200: json(
        Type.Object({ classes: Type.Array(ModelClassEntry), providers: Type.Array(ProviderEntry) }, closed),
      ),
    },
    refusals: [],
  },
} as const satisfies Routes;
