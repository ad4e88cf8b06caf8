import Type from 'typebox';
import { HostId } from './across-hosts.ts';
import { INVOCATION_SOURCES, type InvocationSource } from './events/agent-events.ts';
import { BUDGET_DIMENSIONS, type BudgetDimension } from './events/run-events.ts';
import { closed } from './parts.ts';
import { FORK_MODES, type ForkMode } from './run.ts';

/**
 * The discovery document. Families are at the root; older clients read the same objects under `capabilities`.
 */

const Limits = Type.Object(
  {
    clarificationRounds: Type.Integer({ minimum: 0 }),
    schemaRounds: Type.Integer({ minimum: 0 }),
    envelopesPerTurn: Type.Integer({ minimum: 0 }),
    maxNodeExecutions: Type.Integer({ minimum: 1 }),
    maxRunDurationMs: Type.Integer({ minimum: 1000 }),
    maxLoopIterations: Type.Integer({ minimum: 1 }),
    maxRequestBodyBytes: Type.Integer({ minimum: 1 }),
  },
  closed,
);

/** Limits of this host that the protocol does not name. The protocol's own `limits` object is closed. */
const HostLimits = Type.Object(
  {
    /** The size of one event, and so the size of one variable or output. */
    maxEventBytes: Type.Integer({ minimum: 1 }),
    /** Steps that the expressions of one node may take together. */
    maxExpressionSteps: Type.Integer({ minimum: 1 }),
    /** Of the variables, channels and outputs of a run together. */
    maxStateCharacters: Type.Integer({ minimum: 1 }),
    maxVariables: Type.Integer({ minimum: 1 }),
    maxLogEvents: Type.Integer({ minimum: 1 }),
    /** Runs of a tree that have not ended. */
    maxTreeRuns: Type.Integer({ minimum: 1 }),
    maxRunDepth: Type.Integer({ minimum: 1 }),
    /** The storage of one tenant; absent if there is no limit. */
    maxTenantBytes: Type.Optional(Type.Integer({ minimum: 1 })),
    maxDefinitionCharacters: Type.Integer({ minimum: 1 }),
    maxExpressions: Type.Integer({ minimum: 1 }),
    /** Assignments, ports or mapped variables of one node. */
    maxNamesOfNode: Type.Integer({ minimum: 1 }),
    maxSchemaParts: Type.Integer({ minimum: 1 }),
    maxPatternSize: Type.Integer({ minimum: 1 }),
  },
  closed,
);

const ExecutionModel = Type.Object(
  {
    supported: Type.Boolean(),
    version: Type.Integer({ minimum: 1, maximum: 6 }),
    confidenceEscalationFloor: Type.Number({ minimum: 0.5, maximum: 1 }),
    confidenceEscalationInterruptKind: Type.Literal('approval'),
    crossChildMemoryConcurrency: Type.Literal('strict'),
    crossHostCausation: Type.Object(
      { supported: Type.Boolean(), hostId: HostId, ancestryEndpointSupported: Type.Boolean() },
      closed,
    ),
    replayDeterminism: Type.Object(
      {
        supported: Type.Boolean(),
        llmCacheKeyRecipe: Type.Literal('spec-rfc-0041'),
        refusalDivergenceEmission: Type.Boolean(),
      },
      closed,
    ),
    statefulResume: Type.Boolean(),
    /** How many events before a turn the supervisor is given. */
    transcriptWindow: Type.Integer({ minimum: 1 }),
    verifier: Type.Object({ supported: Type.Boolean(), gating: Type.Boolean() }, closed),
  },
  closed,
);

export const CapabilityFamilies = Type.Object({
  agents: Type.Object({
    supported: Type.Boolean(),
    orchestrator: Type.Boolean(),
    dispatch: Type.Boolean(),
    dispatchMapping: Type.Boolean(),
    subRunAttestation: Type.Boolean(),
    memoryBackends: Type.Array(Type.Literal('long-term')),
    reasoning: Type.Object({ verbosity: Type.String(), streaming: Type.Boolean() }),
    manifestRuntime: Type.Object(
      {
        supported: Type.Boolean(),
        handoffValidation: Type.Boolean(),
        installScope: Type.Unsafe<'host' | 'tenant'>({ enum: ['host', 'tenant'] }),
      },
      closed,
    ),
    liveRuntime: Type.Object(
      {
        supported: Type.Boolean(),
        structuredOutput: Type.Boolean(),
        confidenceEscalation: Type.Boolean(),
        sources: Type.Array(Type.Unsafe<InvocationSource>({ enum: [...INVOCATION_SOURCES] })),
      },
      closed,
    ),
  }),
  /** Limits on what runs and agents use. The budgets of tenants are set by the operator. */
  budget: Type.Object(
    {
      supported: Type.Boolean(),
      dimensions: Type.Array(
        Type.Unsafe<BudgetDimension | 'model'>({ enum: [...BUDGET_DIMENSIONS, 'model'] }),
      ),
      enforce: Type.Literal('hard'),
      scopes: Type.Array(Type.Unsafe<'run' | 'agent'>({ enum: ['run', 'agent'] })),
    },
    closed,
  ),
  /** Authorization and rate limits of each tool, and events that hold no arguments. */
  toolHooks: Type.Object(
    {
      supported: Type.Boolean(),
      prePostEvents: Type.Boolean(),
      perToolAuthorization: Type.Boolean(),
      perToolRateLimit: Type.Boolean(),
    },
    closed,
  ),
  secrets: Type.Object(
    {
      supported: Type.Boolean(),
      scopes: Type.Array(Type.Literal('tenant')),
      resolution: Type.Literal('host-managed'),
    },
    closed,
  ),
  /** The providers of models that are connected to this host. */
  aiProviders: Type.Object({ supported: Type.Array(Type.String()) }),
  subWorkflow: Type.Object({ inputMapping: Type.Boolean() }, closed),
  multiAgent: Type.Object({ executionModel: ExecutionModel }, closed),
  memory: Type.Object({
    supported: Type.Boolean(),
    writable: Type.Boolean(),
    maxEntrySizeBytes: Type.Integer({ minimum: 1 }),
    ttlSupported: Type.Boolean(),
    search: Type.Object(
      {
        supported: Type.Boolean(),
        modes: Type.Array(Type.Unsafe<'semantic' | 'filter'>({ enum: ['semantic', 'filter'] })),
      },
      closed,
    ),
    attribution: Type.Object({ supported: Type.Literal(true), emitsWriteEvents: Type.Boolean() }),
  }),
  replay: Type.Object({
    supported: Type.Boolean(),
    modes: Type.Array(Type.Unsafe<ForkMode>({ enum: [...FORK_MODES] })),
    /** A replay performs no effects. It receives the recorded outcomes. */
    sideEffectSuppression: Type.Literal('recorded-outcome'),
    retention: Type.Optional(Type.Object({ windowSeconds: Type.Integer({ minimum: 0 }) })),
  }),
  webhooks: Type.Object({
    supported: Type.Boolean(),
    signatureAlgorithms: Type.Array(Type.Literal('v1')),
  }),
  workspace: Type.Object(
    {
      supported: Type.Boolean(),
      versioned: Type.Boolean(),
      maxFileBytes: Type.Integer({ minimum: 1 }),
      maxFiles: Type.Integer({ minimum: 1 }),
    },
    closed,
  ),
  runs: Type.Object({
    pauseResume: Type.Object({ supported: Type.Boolean(), drainPolicies: Type.Array(Type.String()) }),
  }),
  debugBundle: Type.Object({ supported: Type.Boolean() }),
  restTransport: Type.Object({ conditionalRunGet: Type.Boolean() }),
  auth: Type.Object({
    profiles: Type.Array(Type.Literal('openwop-audit-log-integrity')),
    auditLogIntegrity: Type.Object(
      {
        hashChain: Type.Literal(true),
        checkpointSignatureAlgorithm: Type.Literal('ed25519'),
        /** SPKI in DER, as base64. */
        checkpointPublicKey: Type.String({ minLength: 1 }),
        checkpointIntervalEntries: Type.Integer({ minimum: 1 }),
        checkpointIntervalSeconds: Type.Integer({ minimum: 1 }),
      },
      closed,
    ),
  }),
  /** The scopes of each role. Everything that is not explicitly allowed is denied. */
  authorization: Type.Object(
    {
      supported: Type.Boolean(),
      failClosed: Type.Literal(true),
      roles: Type.Array(
        Type.Object(
          {
            role: Type.String({ minLength: 1 }),
            scopes: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
  /** Only where the operator has named a collector. */
  observability: Type.Optional(
    Type.Object({ otel: Type.Object({ exportProtocols: Type.Array(Type.String()) }) }, closed),
  ),
  /** A2A, while something is published to everybody. */
  a2a: Type.Optional(
    Type.Object(
      {
        supported: Type.Literal(true),
        agentCardUrl: Type.String({ format: 'uri' }),
        streaming: Type.Boolean(),
        pushNotifications: Type.Boolean(),
        durableTasks: Type.Boolean(),
      },
      closed,
    ),
  ),
  conformance: Type.Optional(Type.Object({ mockAgent: Type.Boolean() }, closed)),
});

export const CapabilityDocument = Type.Object({
  protocolVersion: Type.String(),
  protocolVersions: Type.Array(Type.String()),
  supportedEnvelopes: Type.Array(Type.String()),
  supportedTransports: Type.Array(Type.String()),
  schemaVersions: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  limits: Limits,
  hostLimits: HostLimits,
  implementation: Type.Object({ name: Type.String(), version: Type.String() }),
  /** Grows when what the engine stores changes; the version of the product is in `implementation`. */
  engineVersion: Type.Integer({ minimum: 0 }),
  eventLogSchemaVersion: Type.Integer(),
  fixtures: Type.Optional(Type.Array(Type.String())),
  ...CapabilityFamilies.properties,
  capabilities: CapabilityFamilies,
});
export type CapabilityDocument = Type.Static<typeof CapabilityDocument>;
