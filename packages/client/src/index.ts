export type {
  AgentEntry,
  AgentPackage,
  AgentTool,
  ApprovalAction,
  ApprovalAnswer,
  ApprovalData,
  AuditLogReport,
  CapabilityDocument,
  ClarificationAnswer,
  ClarificationData,
  Configurable,
  CreateWebhook,
  DeadLetter,
  DebugBundle,
  ErrorCode,
  EventOf,
  EventType,
  ExternalEventData,
  InterruptKind,
  Json,
  JsonObject,
  LinkedInterrupt,
  LowConfidenceData,
  OutputChunk,
  RunAncestry,
  RunError,
  RunErrorCode,
  RunEvent,
  RunForked,
  RunOptionsOverlay,
  RunSnapshot,
  RunStatus,
  RunSummary,
  SecretEntry,
  WaitingDelivery,
  WaitingInterrupt,
  Webhook,
  WorkflowDefinition,
  WorkspaceFile,
  WorkspaceFileEntry,
} from '@baton/protocol';
export type { AgentReply, Agents, AgentTools, Chat, MessageOptions } from './agents.ts';
export type { Audit, AuditKey, AuditReport, VerifyOptions } from './audit.ts';
export {
  type Baton,
  type ConnectOptions,
  connect,
  type ModelList,
  type PeerList,
  type Usage,
  type UsageHistory,
} from './connect.ts';
export { BatonError, type BatonErrorCode, type ClientErrorCode } from './errors.ts';
export type { EventsOptions, LiveItem } from './events/follow.ts';
export type { ConnectionState } from './events/persist.ts';
export type { TreeItem, TreeOptions } from './events/tree.ts';
export type { RunsChange } from './events/watch-runs.ts';
export type { HostHealth, HostOperations, HostReadiness } from './host.ts';
export type { Patience } from './http/backoff.ts';
export type { CallOptions, CommandOptions, Fetch, FetchAnswer, FetchRequest } from './http/connection.ts';
export type { InterruptAnswer, InterruptLinks, InterruptPlace, RunMoved } from './interrupts.ts';
export type { Memory, MemoryContents, MemoryScopeEntry } from './memory.ts';
export type {
  AnswerOptions,
  BranchOptions,
  Fork,
  ForkOptions,
  Run,
  RunArtifact,
  RunAttestations,
  RunDiff,
  RunState,
} from './runs/run.ts';
export type {
  ListRunsOptions,
  RunFilters,
  RunInputs,
  RunPageOptions,
  Runs,
  StartOptions,
} from './runs/runs.ts';
export type { Secrets } from './secrets.ts';
export type { SessionInfo, SessionOperations, SignInCode, SignInWays } from './session.ts';
export type { WebhookSecret, Webhooks } from './webhooks.ts';
export type { WorkflowCheck, WorkflowEntry, Workflows, WorkflowVersion } from './workflows.ts';
export type { Workspace } from './workspace.ts';
