import {
  CHECKPOINT_EVERY_MS,
  DEFINITION_BOUNDS,
  EVENT_LOG_SCHEMA_VERSION,
  type HostLimits,
  type PublicKey,
  ROLE_NAMES,
  scopesOfRole,
  USUAL_ATTEMPTS,
} from '@baton/engine';
import { FOLD_VERSION } from '@baton/engine/ports';
import {
  BUDGET_DIMENSIONS,
  type CapabilityDocument,
  DRAIN_POLICIES,
  FORK_MODES,
  INVOCATION_SOURCES,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_MEMORY_BYTES,
  MAX_PATTERN_SIZE,
  MAX_SCHEMA_PARTS,
} from '@baton/protocol';
import { OTLP_PROTOCOLS } from '../traces/trace-settings.ts';
import { VERSION } from '../version.ts';

interface DocumentParts {
  /** Whether the host has a capability that can be switched off. */
  readonly isOn: (capability: string) => boolean;
  readonly hostId: string;
  readonly limits: HostLimits;
  readonly auditKey: Pick<PublicKey, 'spki'>;
  readonly maxRequestBodyBytes: number;
  /** How long ended runs are kept. Absent: for ever. */
  readonly retentionMs?: number;
  /** The providers of models that are connected. */
  readonly providers: readonly string[];
  /** Spans are exported. */
  readonly traced: boolean;
  /** The address of the A2A card. Absent: nothing is published to everybody. */
  readonly agentCardUrl?: string;
}

/** The capabilities of this host. It lists only capabilities that the host has. */
export function capabilityDocument(parts: DocumentParts): CapabilityDocument {
  const families = capabilityFamilies(parts);
  const { limits } = parts;
  return {
    protocolVersion: '1.0',
    protocolVersions: ['1.0'],
    supportedEnvelopes: ['clarification.request'],
    supportedTransports: parts.agentCardUrl === undefined ? ['rest'] : ['rest', 'a2a', 'mcp'],
    schemaVersions: { eventLog: EVENT_LOG_SCHEMA_VERSION },
    limits: {
      clarificationRounds: 0,
      schemaRounds: USUAL_ATTEMPTS - 1,
      envelopesPerTurn: 1,
      maxNodeExecutions: limits.nodeExecutions,
      maxRunDurationMs: limits.durationMs,
      maxLoopIterations: limits.loopIterations,
      maxRequestBodyBytes: parts.maxRequestBodyBytes,
    },
    hostLimits: {
      maxEventBytes: limits.eventBytes,
      maxExpressionSteps: limits.expressionSteps,
      maxStateCharacters: limits.stateCharacters,
      maxVariables: limits.variables,
      maxLogEvents: limits.logEvents,
      maxTreeRuns: limits.treeRuns,
      maxRunDepth: limits.maxDepth,
      ...(limits.tenantBytes > 0 && { maxTenantBytes: limits.tenantBytes }),
      maxDefinitionCharacters: DEFINITION_BOUNDS.characters,
      maxExpressions: DEFINITION_BOUNDS.expressions,
      maxNamesOfNode: DEFINITION_BOUNDS.namesOfNode,
      maxSchemaParts: MAX_SCHEMA_PARTS,
      maxPatternSize: MAX_PATTERN_SIZE,
    },
    implementation: { name: 'Baton', version: VERSION },
    engineVersion: FOLD_VERSION,
    eventLogSchemaVersion: EVENT_LOG_SCHEMA_VERSION,
    ...families,
    capabilities: families,
  };
}

function capabilityFamilies(parts: DocumentParts): CapabilityDocument['capabilities'] {
  const { isOn, auditKey, retentionMs, providers, traced, agentCardUrl } = parts;
  const { agentChecks } = parts.limits;
  return {
    agents: {
      supported: true,
      orchestrator: true,
      dispatch: true,
      dispatchMapping: isOn('agents.dispatchMapping'),
      subRunAttestation: true,
      memoryBackends: ['long-term'],
      reasoning: { verbosity: 'full', streaming: true },
      manifestRuntime: { supported: true, handoffValidation: true, installScope: 'tenant' },
      liveRuntime: {
        supported: true,
        structuredOutput: agentChecks.includes('structured-output'),
        confidenceEscalation: agentChecks.includes('confidence-escalation'),
        sources: [...INVOCATION_SOURCES],
      },
    },
    ...limitsOfAgents(),
    secrets: { supported: true, scopes: ['tenant'], resolution: 'host-managed' },
    aiProviders: { supported: [...providers] },
    subWorkflow: { inputMapping: isOn('subWorkflow.inputMapping') },
    multiAgent: { executionModel: executionModel(parts) },
    memory: {
      supported: true,
      writable: true,
      maxEntrySizeBytes: MAX_MEMORY_BYTES,
      ttlSupported: true,
      search: { supported: true, modes: ['filter'] },
      attribution: { supported: true, emitsWriteEvents: true },
    },
    replay: {
      supported: true,
      modes: [...FORK_MODES],
      sideEffectSuppression: 'recorded-outcome',
      ...(retentionMs !== undefined && { retention: { windowSeconds: Math.floor(retentionMs / 1000) } }),
    },
    webhooks: { supported: true, signatureAlgorithms: ['v1'] },
    workspace: { supported: true, versioned: true, maxFileBytes: MAX_FILE_BYTES, maxFiles: MAX_FILES },
    runs: { pauseResume: { supported: true, drainPolicies: [...DRAIN_POLICIES] } },
    debugBundle: { supported: true },
    restTransport: { conditionalRunGet: true },
    auth: authFamily(auditKey),
    authorization: {
      supported: true,
      failClosed: true,
      roles: ROLE_NAMES.map((role) => ({ role, scopes: [...scopesOfRole(role)] })),
    },
    ...(traced && { observability: { otel: { exportProtocols: [...OTLP_PROTOCOLS] } } }),
    ...(agentCardUrl !== undefined && {
      a2a: { supported: true, agentCardUrl, streaming: true, pushNotifications: true, durableTasks: true },
    }),
  };
}

/** What keeps agents within bounds. */
function limitsOfAgents(): Pick<CapabilityDocument['capabilities'], 'budget' | 'toolHooks'> {
  return {
    budget: {
      supported: true,
      dimensions: [...BUDGET_DIMENSIONS, 'model'],
      enforce: 'hard',
      scopes: ['run', 'agent'],
    },
    toolHooks: { supported: true, prePostEvents: true, perToolAuthorization: true, perToolRateLimit: true },
  };
}

function authFamily({ spki }: DocumentParts['auditKey']): CapabilityDocument['auth'] {
  return {
    profiles: ['openwop-audit-log-integrity'],
    auditLogIntegrity: {
      hashChain: true,
      checkpointSignatureAlgorithm: 'ed25519',
      checkpointPublicKey: spki,
      // Every entry of the audit log has its own checkpoint.
      checkpointIntervalEntries: 1,
      checkpointIntervalSeconds: CHECKPOINT_EVERY_MS / 1000,
    },
  };
}

/** The name of a capability that a route also looks at. */
export const ANCESTRY_ENDPOINT = 'multiAgent.executionModel.crossHostCausation.ancestryEndpointSupported';

interface ExecutionModelParts {
  readonly isOn: (capability: string) => boolean;
  readonly hostId: string;
  readonly limits: Pick<HostLimits, 'confidenceFloor' | 'transcriptWindow'>;
}

/** Which versions of the execution model the host keeps to. Version 6 claims all of those before it. */
function executionModel({
  isOn,
  hostId,
  limits: { confidenceFloor, transcriptWindow },
}: ExecutionModelParts): CapabilityDocument['multiAgent']['executionModel'] {
  return {
    supported: isOn('multiAgent.executionModel'),
    version: 6,
    // Since version 2.
    confidenceEscalationFloor: confidenceFloor,
    confidenceEscalationInterruptKind: 'approval',
    crossChildMemoryConcurrency: 'strict',
    // Since version 3.
    crossHostCausation: {
      supported: true,
      hostId,
      ancestryEndpointSupported: isOn(ANCESTRY_ENDPOINT),
    },
    // Since version 4.
    replayDeterminism: {
      supported: true,
      llmCacheKeyRecipe: 'spec-rfc-0041',
      refusalDivergenceEmission: true,
    },
    // Since version 5.
    statefulResume: true,
    transcriptWindow,
    // Since version 6.
    verifier: { supported: true, gating: true },
  };
}
