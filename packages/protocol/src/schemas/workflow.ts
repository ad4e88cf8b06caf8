import Type from 'typebox';
import { SCOPES, type Scope } from '../scopes.ts';
import { Milliseconds, Ordinal } from './numbers.ts';
import { AgentId, Any, Bag, closed } from './parts.ts';

/** Workflow definitions as authors write them. Everything but `id` and `nodes` has a sensible default. */

export const AgentRef = Type.Object(
  {
    agentId: AgentId,
    name: Type.Optional(Type.String({ maxLength: 256 })),
    modelClass: Type.Optional(Type.String({ maxLength: 64 })),
    memoryRef: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    version: Type.Optional(Type.String({ maxLength: 64 })),
    sourceManifestId: Type.Optional(Type.String({ maxLength: 256 })),
  },
  closed,
);
export type AgentRef = Type.Static<typeof AgentRef>;

const StaticPort = Type.Object({ type: Type.Literal('static'), value: Any }, closed);
const VariablePort = Type.Object(
  {
    type: Type.Literal('variable'),
    variableName: Type.String({ minLength: 1 }),
    optional: Type.Optional(Type.Boolean()),
  },
  closed,
);
const ConnectionPort = Type.Object(
  {
    type: Type.Literal('connection'),
    nodeId: Type.String({ minLength: 1 }),
    outputKey: Type.String({ minLength: 1 }),
    optional: Type.Optional(Type.Boolean()),
  },
  closed,
);
const ExpressionPort = Type.Object(
  { type: Type.Literal('expression'), expression: Type.String({ minLength: 1, maxLength: 4096 }) },
  closed,
);

export const PortValue = Type.Unsafe<
  | Type.Static<typeof StaticPort>
  | Type.Static<typeof VariablePort>
  | Type.Static<typeof ConnectionPort>
  | Type.Static<typeof ExpressionPort>
>({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [StaticPort, VariablePort, ConnectionPort, ExpressionPort],
});
export type PortValue = Type.Static<typeof PortValue>;

/** One year. A longer wait is most likely a typing error. */
export const MAX_WAIT_MS = 365 * 24 * 60 * 60 * 1000;

export const MemoryScopeIsolation = Type.Unsafe<'inherit' | 'isolated'>({ enum: ['inherit', 'isolated'] });

export const NodeSettings = Type.Object(
  {
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS })),
    retry: Type.Optional(
      Type.Object(
        {
          maxRetries: Type.Integer({ minimum: 0, maximum: 100 }),
          backoffMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_MS })),
          factor: Type.Optional(Type.Number({ minimum: 1, maximum: 1000 })),
          maxBackoffMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_MS })),
        },
        closed,
      ),
    ),
    /** If the run lacks one of these scopes, the node fails with `forbidden`. */
    requiredScopes: Type.Optional(
      Type.Array(Type.Unsafe<Scope>({ enum: [...SCOPES] }), { uniqueItems: true }),
    ),
    /**
     * `inherit`: children start with the memory of the run, and their entries are added to it when their
     * results are taken over. `isolated`: neither.
     */
    memoryScopeIsolation: Type.Optional(MemoryScopeIsolation),
    /** An expression that decides for a supervisor. Its bindings are the inputs of the turn. */
    decide: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  },
  { additionalProperties: true },
);
export type NodeSettings = Type.Static<typeof NodeSettings>;

const NODE_FIELDS = {
  id: Type.String({ minLength: 1, maxLength: 128 }),
  typeId: Type.String({ minLength: 1, maxLength: 256, pattern: '^[a-z][a-zA-Z0-9._-]*$' }),
  name: Type.Optional(Type.String({ minLength: 1 })),
  position: Type.Optional(Type.Object({ x: Type.Number(), y: Type.Number() })),
  config: Type.Optional(Bag),
  inputs: Type.Optional(Type.Record(Type.String(), PortValue)),
  credentialsRef: Type.Optional(Type.String()),
  settings: Type.Optional(NodeSettings),
  outputRole: Type.Optional(Type.Union([Type.Literal('primary'), Type.Literal('secondary')])),
  disabled: Type.Optional(Type.Boolean()),
  notes: Type.Optional(Type.String()),
  groupId: Type.Optional(Type.String()),
  agent: Type.Optional(AgentRef),
  envelopeContract: Type.Optional(Bag),
  artifactType: Type.Optional(Type.String()),
  cardType: Type.Optional(Type.String()),
  outputSensitivity: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
};
export const WorkflowNode = Type.Object(NODE_FIELDS, closed);
export type WorkflowNode = Type.Static<typeof WorkflowNode>;

export const TRIGGER_RULES = [
  'all_success',
  'any_success',
  'all_complete',
  'none_failed',
  'any_failed',
] as const;
export type TriggerRule = (typeof TRIGGER_RULES)[number];

const CONDITION_TYPES = ['expression', 'equals', 'notEquals', 'contains', 'regex'] as const;

export const EdgeCondition = Type.Object(
  {
    type: Type.Optional(
      Type.Unsafe<(typeof CONDITION_TYPES)[number]>(Type.Union(CONDITION_TYPES.map((t) => Type.Literal(t)))),
    ),
    left: Type.Optional(Type.String({ maxLength: 4096 })),
    right: Type.Optional(Any),
    expression: Type.Optional(Type.String({ maxLength: 4096 })),
  },
  closed,
);
export type EdgeCondition = Type.Static<typeof EdgeCondition>;

export const WorkflowEdge = Type.Object(
  {
    id: Type.Optional(Type.String({ minLength: 1 })),
    sourceNodeId: Type.String({ minLength: 1 }),
    targetNodeId: Type.String({ minLength: 1 }),
    sourceOutput: Type.Optional(Type.String()),
    targetInput: Type.Optional(Type.String()),
    condition: Type.Optional(EdgeCondition),
    label: Type.Optional(Type.String()),
    triggerRule: Type.Optional(Type.Unsafe<TriggerRule>({ enum: [...TRIGGER_RULES] })),
  },
  closed,
);
export type WorkflowEdge = Type.Static<typeof WorkflowEdge>;

export const WorkflowVariable = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 256 }),
    type: Type.Unsafe<'string' | 'number' | 'boolean' | 'object' | 'array'>({
      enum: ['string', 'number', 'boolean', 'object', 'array'],
    }),
    description: Type.Optional(Type.String()),
    required: Type.Optional(Type.Boolean()),
    defaultValue: Type.Optional(Any),
    sensitive: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type WorkflowVariable = Type.Static<typeof WorkflowVariable>;

export const CHANNEL_REDUCERS = [
  'replace',
  'append',
  'merge',
  'counter',
  'votes',
  'feedback',
  'message',
] as const;
export type ChannelReducer = (typeof CHANNEL_REDUCERS)[number];

export const ChannelDeclaration = Type.Object(
  {
    reducer: Type.Unsafe<ChannelReducer>({ enum: [...CHANNEL_REDUCERS] }),
    schema: Type.Optional(Bag),
    default: Type.Optional(Any),
    maxSize: Type.Optional(Ordinal),
    ttlMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 31536000000 })),
    options: Type.Optional(Bag),
    access: Type.Optional(Any),
    schemaVersion: Type.Optional(Ordinal),
    compatibleWith: Type.Optional(Type.Array(Ordinal)),
    sensitive: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ChannelDeclaration = Type.Static<typeof ChannelDeclaration>;

const WorkflowSettings = Type.Object(
  {
    timeout: Type.Optional(Milliseconds),
    maxRetries: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    logLevel: Type.Optional(Type.String()),
    maxLoopbackIterations: Type.Optional(Ordinal),
  },
  { additionalProperties: true },
);

export const WorkflowDefinition = Type.Object(
  {
    /** The workflow of an agent has the prefix `agent:`, with which no author can register one. */
    id: Type.String({
      minLength: 1,
      maxLength: 262,
      pattern: '^([a-z][a-z0-9_-]{0,127}|agent:[a-zA-Z0-9._-]+)$',
    }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    description: Type.Optional(Type.String()),
    version: Type.Optional(Type.String({ minLength: 1 })),
    type: Type.Optional(Type.String()),
    isActive: Type.Optional(Type.Boolean()),
    status: Type.Optional(Type.Unsafe<string>({ enum: ['active', 'inactive', 'draft', 'archived'] })),
    tenantId: Type.Optional(Type.String()),
    scopeId: Type.Optional(Type.String()),
    slug: Type.Optional(Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$' })),
    nodes: Type.Array(WorkflowNode, { minItems: 1, maxItems: 1000 }),
    edges: Type.Optional(Type.Array(WorkflowEdge, { maxItems: 10000 })),
    triggers: Type.Optional(Type.Array(Bag)),
    variables: Type.Optional(Type.Array(WorkflowVariable, { maxItems: 1000 })),
    groups: Type.Optional(Type.Array(Bag)),
    channels: Type.Optional(Type.Record(Type.String(), ChannelDeclaration)),
    configurableSchema: Type.Optional(Bag),
    defaults: Type.Optional(Bag),
    metadata: Type.Optional(Bag),
    settings: Type.Optional(WorkflowSettings),
    acceptsInheritedArtifacts: Type.Optional(Type.Array(Bag)),
    createdAt: Type.Optional(Type.String({ format: 'date-time' })),
    updatedAt: Type.Optional(Type.String({ format: 'date-time' })),
  },
  closed,
);
export type WorkflowDefinition = Type.Static<typeof WorkflowDefinition>;

/** The definition with defaults for all absent fields. A complete definition is returned unchanged. */
export function completeDefinition(given: WorkflowDefinition): WorkflowDefinition {
  return {
    ...given,
    name: given.name ?? given.id,
    version: given.version ?? '1.0',
    nodes: given.nodes.map((node) => ({
      ...node,
      name: node.name ?? node.id,
      position: node.position ?? { x: 0, y: 0 },
      config: node.config ?? {},
      inputs: node.inputs ?? {},
    })),
    edges: (given.edges ?? []).map((edge, index) => ({ ...edge, id: edge.id ?? `e${index + 1}` })),
    triggers: given.triggers ?? [{ id: 'manual', type: 'manual', enabled: true }],
    variables: given.variables ?? [],
    metadata: given.metadata ?? {},
    settings: given.settings ?? {},
  };
}
