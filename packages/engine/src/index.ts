export type { AuditedMerge, VouchedVariable } from './audit/attestations.ts';
export { auditRun, type RunAudit } from './audit/audit-run.ts';
export {
  type AuditCounts,
  type AuditPage,
  type AuditPlace,
  addCounts,
  auditOneRun,
  auditPage,
  NOTHING_CHECKED,
} from './audit/audit-walk.ts';
export { CHECKPOINT_EVERY_MS } from './audit/checkpoint.ts';
export type { Finding } from './audit/finding.ts';
export { createHandoffReader, type GatedHandoff, type GateOutcome } from './audit/gated-handoffs.ts';
export { signStatement, verifiesStatement } from './audit/result-statement.ts';
export {
  newSigningKey,
  type PublicKey,
  publicKey,
  type SigningKey,
  signingKey,
} from './audit/signing-key.ts';

export { type LogRange, verifyAuditLog } from './audit/verify-audit-log.ts';
export { debugBundle } from './bundle/export-bundle.ts';
export { type BundleSummary, openBundle } from './bundle/open-bundle.ts';
export { BundleRefusal } from './bundle/refused.ts';
export type {
  Caller,
  CancelCommand,
  Command,
  Engine,
  Idempotency,
  InterruptTarget,
  Notice,
  Reply,
  ReplyValue,
} from './commands.ts';
export { checkAgent, checkWorkflow } from './driver/check-workflow.ts';
export { systemClock, uuidIds } from './driver/clock.ts';
export type { Ownership } from './driver/effects/effect-owners.ts';
export { effectSlots } from './driver/effects/effect-slots.ts';
export { type EngineOptions, type LocalEngine, startEngine } from './driver/engine.ts';
export { DEFAULT_LIMITS, type HostLimits } from './driver/limits.ts';
export type { Retention } from './driver/retention.ts';
export { fairQueue } from './driver/rounds/fair-queue.ts';
export { untilReached } from './driver/schedule/until-reached.ts';
export { isHostWord } from './driver/secrecy/host-words.ts';
export type { SecretChange } from './driver/secrecy/learned-secrets.ts';
export {
  EVERY_TENANT,
  type OpenVault,
  openVault,
  type Secrets,
} from './driver/secrecy/open-vault.ts';
export { redactedChunks } from './driver/secrecy/redacted-chunks.ts';
export { SEALING_KEY_BYTES } from './driver/secrecy/sealing.ts';
export { withUnsealedRequests } from './driver/secrecy/unsealed-effects.ts';
export { foldStored, foldTexts, foldToRead } from './fold.ts';
export { diffRuns } from './history/diff-runs.ts';
export { memoryEntry } from './history/memory-entry.ts';
export { type StateAt, stateAt } from './history/state-at.ts';
export { ownScope } from './kernel/fold/evolve-fork.ts';
export { DEFINITION_BOUNDS, tooLargeDefinition } from './kernel/graph/bounds.ts';
export {
  authorize,
  isRole,
  type ResolveRoles,
  ROLE_NAMES,
  type Role,
  scopesOfRole,
} from './kernel/people/authorization.ts';
export type { OpenInterrupt, Run } from './kernel/run.ts';
export { type Redactor, SHORTEST_SECRET } from './kernel/secrecy/redaction.ts';
export { hideSealed, hideText } from './kernel/secrecy/sealed.ts';
export { PRODUCT_NODES } from './nodes/index.ts';
export { NODE_SUMMARIES } from './nodes/node-summaries.ts';
export { USUAL_ATTEMPTS } from './nodes/structured-output.ts';
export {
  type Clock,
  type Effect,
  type EffectContext,
  type EffectOutcome,
  type Loss,
  type RunRecord,
  SHARED_TENANT,
  type Slice,
  type SliceResult,
  StorageFullError,
  type Store,
  type StoreReads,
  type WorkInHand,
} from './ports/index.ts';
export { EVENT_LOG_SCHEMA_VERSION, snapshotOf, snapshotWithoutLog } from './snapshot.ts';
export type { EndedSpan } from './spans/span.ts';
export { fileEntry, fileView } from './workspace.ts';
