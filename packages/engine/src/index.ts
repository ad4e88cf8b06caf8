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
export type { Finding } from './audit/finding.ts';
export type { GateOutcome } from './audit/gated-handoffs.ts';
export {
  newSigningKey,
  type PublicKey,
  publicKey,
  type SigningKey,
  signingKey,
} from './audit/signing-key.ts';
export { type BundleRequest, debugBundle } from './bundle/export-bundle.ts';
export type { ImportResult } from './bundle/import-result.ts';
export {
  type ImportOrder,
  type PreparedImport,
  prepareImport,
} from './bundle/prepare-import.ts';
export type {
  AbandonImportCommand,
  Caller,
  CancelCommand,
  Command,
  CreateRunCommand,
  DeleteFileCommand,
  EffectOutcomeCommand,
  Engine,
  EraseRunCommand,
  ForkCommand,
  Idempotency,
  ImportPartCommand,
  InterruptTarget,
  Notice,
  PauseCommand,
  PutFileCommand,
  RegisterWorkflowCommand,
  ReleaseRunCommand,
  Reply,
  ReplyValue,
  ResolveCommand,
  ResumeCommand,
  RetryCommand,
  RunCommand,
  SetVariablesCommand,
  ToggleCommand,
} from './commands.ts';
export { systemClock, uuidIds } from './driver/clock.ts';
export { type EngineOptions, type LocalEngine, startEngine } from './driver/engine.ts';
export { DEFAULT_LIMITS, type HostLimits } from './driver/limits.ts';
export type { Retention } from './driver/retention.ts';
export { type FairQueue, fairQueue } from './driver/rounds/fair-queue.ts';
export { isHostWord } from './driver/secrecy/host-words.ts';
export {
  EVERY_TENANT,
  type OpenVault,
  openVault,
  type Secrets,
} from './driver/secrecy/open-vault.ts';
export { SEALING_KEY_BYTES } from './driver/secrecy/sealing.ts';
export { withUnsealedRequests } from './driver/secrecy/unsealed-effects.ts';
export { foldStored, foldTexts, foldToRead } from './fold.ts';
export { diffRuns, type EventDiff, type RunDiff } from './history/diff-runs.ts';
export { entryView, type StateAt, stateAt } from './history/state-at.ts';
export { importedView } from './imported-view.ts';
export { DEFINITION_BOUNDS, tooLargeDefinition } from './kernel/graph/bounds.ts';
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
export { type Redactor, SHORTEST_SECRET } from './kernel/secrecy/redaction.ts';
export { hideSealed, hideText } from './kernel/secrecy/sealed.ts';
export { type NodeTypes, PRODUCT_NODES } from './nodes/index.ts';
export { USUAL_ATTEMPTS } from './nodes/structured-output.ts';
export {
  type ApiKey,
  type Clock,
  type Effect,
  type EffectOutcome,
  type Effects,
  type IdempotencyRecord,
  type Ids,
  type ImportRecord,
  type InterruptRecord,
  type InterruptRow,
  type LateOutcome,
  type Loss,
  type ModelAnswer,
  type ModelAnswerRecord,
  ModelAttempt,
  type ModelCall,
  ModelOutcome,
  type ModelProvider,
  type Models,
  type ModelText,
  type Page,
  type RunAdvance,
  type RunQuery,
  type RunRecord,
  type RunRow,
  type SavedState,
  SHARED_TENANT,
  type Slice,
  type SliceResult,
  StorageFullError,
  type Store,
  type StoredRun,
  type StoreReads,
  type TokenUsage,
  type Wake,
  type WorkflowRecord,
  type WorkInHand,
} from './ports/index.ts';
export { EVENT_LOG_SCHEMA_VERSION, snapshotOf, snapshotWithoutLog } from './snapshot.ts';
export { etagOf, fileEntry, fileView } from './workspace.ts';
