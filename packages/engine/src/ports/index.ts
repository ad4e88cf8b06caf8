/** The interfaces between the engine and its surroundings, for packages that implement them. */

export type {
  AuditReads,
  AuditStore,
  ChainLeaf,
  ChainRecord,
  ErasureRecord,
  FiledEvent,
  ScopeHistory,
  SignedCheckpoint,
  StoredCheckpoint,
} from './audit.ts';
export type { Clock, Ids } from './clock.ts';
export type { Effect, EffectOutcome, Effects } from './effects.ts';
export { FOLD_VERSION } from './fold-version.ts';
export type {
  MemoryAuthor,
  MemoryChange,
  MemoryQuery,
  MemoryReads,
  MemoryRow,
  MemoryView,
  ScopeHead,
} from './memory.ts';
export { expiryDelay, expiryTime } from './memory.ts';
export type { ModelAnswerReads, ModelAnswerRecord } from './model-answers.ts';
export { ModelAttempt, ModelOutcome } from './model-outcome.ts';
export type {
  ModelAnswer,
  ModelCall,
  ModelProvider,
  Models,
  ModelText,
  TokenUsage,
} from './models.ts';
export {
  type ApiKey,
  type Arrival,
  type ForkPoint,
  type ForkRecord,
  type IdempotencyRecord,
  type ImportRecord,
  type InterruptRecord,
  type InterruptRow,
  type LateOutcome,
  type Page,
  type PlacedEvent,
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
  type StoredTree,
  type StoreReads,
  type Wake,
  type WorkflowRecord,
} from './store.ts';
export type {
  HeldTree,
  Hold,
  HoldReason,
  TreeRef,
  TroubledTree,
  TroubleReads,
  TroubleStore,
} from './trouble.ts';
export type { Loss, Work, WorkInHand } from './work-in-hand.ts';
