export type { AuditedMerge, VouchedVariable } from './audit/attestations.ts';
export { auditRun, type RunAudit } from './audit/audit-run.ts';
export {
  type AuditCounts,
  type AuditPage,
  type AuditPlace,
  type AuditQuery,
  addCounts,
  auditOneRun,
  auditPage,
  NOTHING_CHECKED,
} from './audit/audit-walk.ts';
export { FINDING_KINDS, type Finding, type FindingKind } from './audit/finding.ts';
export type { GateOutcome } from './audit/gated-handoffs.ts';
export {
  newSigningKey,
  type PublicKey,
  publicKey,
  type SigningKey,
  signingKey,
} from './audit/signing-key.ts';
export { type BundleRequest, debugBundle } from './bundle/export-bundle.ts';
export type {
  Caller,
  CancelCommand,
  Command,
  CreateRunCommand,
  EffectOutcomeCommand,
  Engine,
  EraseRunCommand,
  Idempotency,
  ImportRunCommand,
  InterruptTarget,
  Notice,
  PauseCommand,
  RegisterWorkflowCommand,
  Reply,
  ReplyValue,
  ResolveCommand,
  ResumeCommand,
  RunCommand,
  SetVariablesCommand,
  ToggleCommand,
} from './commands.ts';
export { systemClock, uuidIds } from './driver/clock.ts';
export { type EngineOptions, startEngine } from './driver/engine.ts';
export { DEFAULT_LIMITS, type HostLimits } from './driver/limits.ts';
export { foldStored, foldTexts } from './fold.ts';
export {
  type AccessDecision,
  type AccessRequest,
  authorize,
  isRole,
  type ResolveRoles,
  ROLE_NAMES,
  type Role,
  scopesOfRole,
} from './kernel/people/authorization.ts';
export type { Run } from './kernel/run.ts';
export { NODE_TYPE_IDS } from './nodes/index.ts';
export {
  type ApiKey,
  type Checkpoint,
  type Clock,
  type Effect,
  type EffectOutcome,
  type Effects,
  type IdempotencyRecord,
  type Ids,
  type InterruptRecord,
  type InterruptRow,
  type LateOutcome,
  type Page,
  type RunAdvance,
  type RunQuery,
  type RunRecord,
  type RunRow,
  SHARED_TENANT,
  type Slice,
  type SliceResult,
  StorageFullError,
  type Store,
  type StoredRun,
  type StoreReads,
  type Wake,
  type WorkflowRecord,
} from './ports/index.ts';
export { ENGINE_VERSION, EVENT_LOG_SCHEMA_VERSION, erasedSnapshot, snapshotOf } from './snapshot.ts';
