export { MAX_SCHEMA_CHARACTERS, MAX_SCHEMA_PARTS } from './authored/bounds.ts';
export { brokenSchema, problemByAuthor } from './authored-schema.ts';
export { canonicalJson, digest } from './canonical.ts';
export { RunAncestry } from './contracts/across-hosts/peers.ts';
export type { AgentEntry, AgentTool } from './contracts/agents.ts';
export { type AuditLogReport, FINDING_KINDS, type FindingKind } from './contracts/audit.ts';
export type {
  Access,
  AnswerOf,
  Idempotent,
  PartOf,
  ResponseContract,
  RouteContract,
} from './contracts/contract.ts';
export { CONTRACTS, type OperationName } from './contracts/contracts.ts';
export { type EventOfTree, STREAM_FRAMES, STREAM_MODES, type StreamMode } from './contracts/events.ts';
export type { LinkedInterrupt, WaitingInterrupt } from './contracts/interrupts.ts';
export { openApiDocument } from './contracts/openapi.ts';
export { MAX_HELD_RUNS_SHOWN } from './contracts/operations.ts';
export { refusalsOf } from './contracts/refusals.ts';
export { CONSOLE_HEADER, SESSION_COOKIE, type SessionView } from './contracts/sessions.ts';
export {
  BatonError,
  ERRORS,
  type ErrorBody,
  type ErrorCode,
  RUN_ERROR_CODES,
  type RunError,
  type RunErrorCode,
  runError,
} from './errors.ts';
export { extendChain, FIRST_LINK, type Sha256, sha256Hex } from './event-chain.ts';
export { childRunId, eventId, eventSequence, rootRunId } from './ids.ts';
export {
  isJsonObject,
  type Json,
  type JsonBudget,
  type JsonObject,
  storableJson,
  toJson,
  ValueTooLargeError,
} from './json.ts';
export { LLM_CACHE_KEY_RECIPE, llmCacheKey, parseModelRequest } from './llm-cache-key.ts';
export {
  charge,
  type Meter,
  meterOf,
  stepsForMembers,
  stepsForText,
  TooMuchWorkError,
} from './meter.ts';
export { equalWithin, sizeOfJson } from './metered-json.ts';
export { nearest } from './nearest.ts';
export { compilePattern, MAX_PATTERN_SIZE, type Pattern } from './pattern.ts';
export { expandedSize as patternSize } from './pattern-size.ts';
export {
  CROSS_HOST_TYPES,
  HANDOFF_EXTENSION,
  HandoffMetadata,
  HostId,
  ORIGIN_CAUSES,
  type OriginCause,
  PeerName,
  type RemoteWorker,
  ResultStatement,
  RunOrigin,
  remoteWorker,
  TRACEPARENT_PATTERN,
} from './schemas/across-hosts.ts';
export {
  AGENT_ID_PATTERN,
  Agent,
  AgentManifest,
  AgentPackage,
  agentOfWorkflow,
  agentWorkflowId,
  BUDGET_PERIODS,
  Budget,
  type BudgetPeriod,
  HISTORY_POLICIES,
  type HistoryPolicy,
  MODEL_CLASSES,
  type ModelClass,
  workflowOfWorker,
} from './schemas/agent.ts';
export { CapabilityDocument, CapabilityFamilies } from './schemas/capabilities.ts';
export {
  BundledEntry,
  BundledRun,
  BundledScope,
  BundledTree,
  BundleProof,
  DebugBundle,
  MAX_BUNDLED_RUNS,
  TRUNCATED,
} from './schemas/debug-bundle.ts';
export { Decision, type DecisionKind } from './schemas/decision.ts';
export { EVENT_SUMMARIES } from './schemas/event-summaries.ts';
export {
  AGENT_CHECKS,
  type AgentCheck,
  INVOCATION_OUTCOMES,
  INVOCATION_SOURCES,
  type InvocationOutcome,
  type InvocationSource,
  TOOL_STATUSES,
  type ToolStatus,
  TRANSPORTS,
  type Transport,
} from './schemas/events/agent-events.ts';
export type { EffectIntent, OutputChunk } from './schemas/events/effect-events.ts';
export {
  DIVERGENCE_KINDS,
  type DivergenceKind,
  ENVELOPE_KINDS,
  type EnvelopeKind,
} from './schemas/events/fork-events.ts';
export {
  Attestation,
  CHAIN_PHASES,
  type ChainPhase,
  MERGE_REASONS,
  type MergeReason,
  VERDICTS,
  type Verdict,
} from './schemas/events/handoff-events.ts';
export { MemoryLayer } from './schemas/events/memory-events.ts';
export {
  ANSWER_FAULTS,
  type AnswerFault,
  TRUNCATIONS,
  type Truncation,
} from './schemas/events/model-events.ts';
export type { TurnInputs } from './schemas/events/node-events.ts';
export {
  BUDGET_DIMENSIONS,
  type BudgetDimension,
  CAP_KINDS,
  type CapKind,
  Goal,
} from './schemas/events/run-events.ts';
export {
  EVENT_PAYLOADS,
  EVENT_TYPES,
  type EventOf,
  type EventType,
  type PayloadOf,
  type RunEvent,
  RunEventSchema,
} from './schemas/events.ts';
export {
  APPROVAL_ACTIONS,
  type ApprovalAction,
  ApprovalAnswer,
  ApprovalData,
  ClarificationAnswer,
  ClarificationData,
  ExternalEventData,
  type InterruptKind,
  LowConfidenceData,
  Question,
  REJECTION_POLICIES,
  type RejectionPolicy,
  SuspendRequest,
} from './schemas/interrupt.ts';
export { MAX_MEMORY_BYTES } from './schemas/memory.ts';
export {
  MESSAGE_ROLES,
  type MessageRole,
  ModelMessage,
  ModelMessages,
  ModelRequest,
  ModelTool,
} from './schemas/model-request.ts';
export { Count, LARGEST_COUNT, LARGEST_VERSION, Ordinal } from './schemas/numbers.ts';
export { ErrorObject } from './schemas/parts.ts';
export {
  BulkCancel,
  CancelRun,
  Configurable,
  CreateRun,
  DRAIN_POLICIES,
  type DrainPolicy,
  EraseRun,
  ErrorEnvelope,
  FORK_MODES,
  type ForkMode,
  ForkRun,
  IMPORTED_SCOPE,
  Imported,
  MAX_BULK_CANCEL,
  PauseRun,
  ResolveInterrupt,
  ResumeRun,
  RetryRun,
  RunCreated,
  RunForked,
  RunOptionsOverlay,
  RunSnapshot,
  RunUsage,
  Tags,
} from './schemas/run.ts';
export type { RunLimits } from './schemas/run-limits.ts';
export { MOST_WAITS_LISTED, RunSummary } from './schemas/run-summary.ts';
export {
  MAX_SECRET_CHARACTERS,
  MAX_SECRETS,
  MIN_SECRET_CHARACTERS,
  type SecretEntry,
} from './schemas/secrets.ts';
export {
  haveToolInCommon,
  matchesTool,
  ScopeName,
  type ToolVerifier,
  ToolVerifiers,
  Verifier,
} from './schemas/verifier.ts';
export {
  type CreateWebhook,
  DEFAULT_OVERLAP_SECONDS,
  type DeadLetter,
  MAX_DEAD_LETTERS,
  MAX_WEBHOOKS,
  type WaitingDelivery,
  type Webhook,
} from './schemas/webhooks.ts';
export {
  AgentRef,
  CHANNEL_REDUCERS,
  ChannelDeclaration,
  type ChannelReducer,
  completeDefinition,
  EdgeCondition,
  MAX_WAIT_MS,
  MemoryScopeIsolation,
  type NodeSettings,
  type PortValue,
  TRIGGER_RULES,
  type TriggerRule,
  WorkflowDefinition,
  type WorkflowEdge,
  type WorkflowNode,
  type WorkflowVariable,
} from './schemas/workflow.ts';
export {
  DEFAULT_CONTENT_TYPE,
  DEFAULT_WORKSPACE,
  MAX_FILE_BYTES,
  MAX_FILES,
  WorkspaceFile,
  WorkspaceFileEntry,
  WorkspacePath,
  WriteFile,
  workspaceScope,
} from './schemas/workspace.ts';
export { isScope, SCOPES, type Scope } from './scopes.ts';
export { includesText, indexOfText, lastIndexOfText, splitText } from './search-text.ts';
export { isTerminal, isWaiting, RUN_STATUSES, type RunStatus, type TerminalStatus } from './status.ts';
export { isoTime, LATEST_TIME, laterBy } from './time.ts';
export {
  formatTraceparent,
  parseTraceparent,
  type SpanSubject,
  spanIdOf,
  type Trace,
  traceOfRun,
  traceparentOfCall,
  traceparentOfRun,
} from './trace.ts';
export { type FieldProblem, invalid, parse, problemWith } from './validate.ts';
export { illFormedAt, mayBeIllFormed, requireWellFormed, wellFormed } from './well-formed.ts';
