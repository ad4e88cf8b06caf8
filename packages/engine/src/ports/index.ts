/** The interfaces between the engine and its surroundings, for packages that implement them. */

export {
  type AskedTool,
  handoffTarget,
  handoffTool,
  MODEL_CALL,
  type Needs,
  PREPARE,
  Prepared,
  type PrepareRequest,
  REMEMBER,
  TOOL_CALL,
  type ToolOutcome,
} from './agent-effects.ts';
export type {
  AuditStore,
  ChainLeaf,
  ChainRecord,
  ErasureRecord,
  FiledEvent,
  LastCheckpoint,
  ScopeHistory,
  SignedCheckpoint,
  StoredCheckpoint,
} from './audit.ts';
export type { ChangeFeed, MovedRun, StoreChange } from './changes.ts';
export type { Clock, Ids } from './clock.ts';
export { cursorAfter, readCursor, toPage } from './cursor.ts';
export type {
  BegunEffect,
  ClaimedEffect,
  EffectClaim,
  EffectClaims,
  EffectOffer,
  EffectOffers,
  EffectRef,
  EffectRelease,
  LeftOffer,
  LeftOffersQuery,
  ReleasedEffect,
  SliceEffects,
} from './effect-claims.ts';
export { IN_DOUBT } from './effect-claims.ts';
export { ALARM_POOL, EFFECT_POOLS, isOfferedKind, POOLS } from './effect-pools.ts';
export type { Effect, EffectContext, EffectOutcome, Effects, ProgressOf } from './effects.ts';
export { FOLD_VERSION } from './fold-version.ts';
export type {
  MemoryAuthor,
  MemoryChange,
  MemoryHistoryReads,
  MemoryQuery,
  MemoryReads,
  MemoryRow,
  MemoryView,
  NamedScope,
  ScopeHead,
} from './memory.ts';
export { expiryDelay, expiryTime, isKept, isShared, privateScope } from './memory.ts';
export type { ModelAnswerReads, ModelAnswerRecord } from './model-answers.ts';
export { ModelOutcome } from './model-outcome.ts';
export type {
  ModelAnswer,
  ModelCall,
  ModelProvider,
  Models,
  ModelText,
  Substitute,
  TokenUsage,
} from './models.ts';
export type { RemoteCancel, RemoteCancelReads, RemoteCancelStore } from './peers/remote-cancels.ts';
export {
  type AnswerRequest,
  type CheckRequest,
  FinishedWork,
  type MeetRequest,
  MetPeer,
  PEER_ANSWER,
  PEER_CHECK,
  PEER_MEET,
  PEER_SEND,
  type SendRequest,
  SentWork,
} from './peers/remote-effects.ts';
export type {
  AuditReads,
  ChainReads,
  CheckpointReads,
  FiledEventReads,
  ScopeHistoryReads,
} from './reads/audit.ts';
export type { HostIdReads } from './reads/host-id.ts';
export type { HostWork, HostWorkReads } from './reads/hosts.ts';
export type { StoreReads } from './reads/index.ts';
export type { InterruptReads, InterruptRecord, InterruptRow } from './reads/interrupts.ts';
export type { ApiKey, KeyReads } from './reads/keys.ts';
export type { EventInTree, LogReads } from './reads/logs.ts';
export type { Page } from './reads/page.ts';
export type { Peer, PeerReads, PeerTls } from './reads/peers.ts';
export type { ReplyReads } from './reads/replies.ts';
export type {
  ListedRun,
  RunFamily,
  RunOverview,
  RunQuery,
  RunReads,
  RunView,
  TreeView,
} from './reads/runs.ts';
export type { SecretPlace, SecretReads, SecretRecord } from './reads/secrets.ts';
export type { DailySpending, Spending, SpendingReads, SpentOnDay } from './reads/spending.ts';
export type { StorageReads } from './reads/storage.ts';
export type {
  RewrappedPush,
  TaskPush,
  TaskPushPlace,
  TaskPushProgress,
  TaskPushReads,
  TaskPushStore,
  TaskPushWrite,
} from './reads/task-pushes.ts';
export type {
  CommittedEvent,
  DeliveryRow,
  WebhookReads,
  WebhookRecord,
  WebhookState,
} from './reads/webhooks.ts';
export {
  type DefinitionReads,
  SHARED_TENANT,
  type WorkflowReads,
  type WorkflowRecord,
  type WorkflowVersion,
  type WorkflowVersionReads,
} from './reads/workflows.ts';
export {
  type ErasureColumns,
  type LeafColumns,
  toCheckpoint,
  toErasure,
  toLeaf,
} from './rows/audit-rows.ts';
export { appendInOrder, type EventColumns, eventsIn } from './rows/event-order.ts';
export { type ForkBase, forkBase, NO_BASE, type SourceColumns } from './rows/fork-base.ts';
export {
  type EntryColumns,
  type HistoryColumns,
  readTags,
  toBundledEntry,
  toMemoryRow,
} from './rows/memory-row.ts';
export { type Columns, parsed, present } from './rows/present.ts';
export { forkPoint, type RunColumns, toRunRow } from './rows/run-columns.ts';
export { restored, shortener } from './rows/short-text.ts';
export { type SpendingCount, spendingCounts } from './rows/spending-counts.ts';
export { isHeld, type TroubledColumns, toTroubled } from './rows/troubled-row.ts';
export { UnfitSliceError } from './rows/unfit-slice.ts';
export type { ForkRecord, RunRecord, RunRow } from './run-row.ts';
export { type Opaque, SaidPart, SaidParts, type ToolCallPart, type ToolResultPart } from './said-parts.ts';
export type {
  Alarm,
  HandsOut,
  Invitation,
  InvitationAnswer,
  Scheduler,
  SchedulerCalls,
} from './scheduler.ts';
export { type ChangeListeners, changeListeners } from './sharing/change-listeners.ts';
export type { KeptTrees } from './sharing/kept-trees.ts';
export { localFeed } from './sharing/local-feed.ts';
export {
  type BundleContents,
  type IdempotencyRecord,
  type LateOutcome,
  mayPass,
  type PlacedEvent,
  type RewrappedSecret,
  type RunAdvance,
  type Slice,
  type SliceResult,
  StorageFullError,
  type Store,
  type StoredTree,
  StoreUnavailableError,
  type Wake,
} from './store.ts';
export type { ForkPoint, SavedState, StoredRun } from './stored-run.ts';
export { exhaustionIn, type TenantExhaustion, tenantExhausted } from './tenant-budgets.ts';
export { type ToolCall, ToolDescriptor, type ToolResult, type ToolSurface, type Tools } from './tools.ts';
export type {
  HeldTree,
  Hold,
  HoldReason,
  TreeRef,
  TroubledTree,
  TroubleReads,
  TroubleStore,
} from './trouble.ts';
export type {
  Backlogs,
  NewWebhook,
  QueuedDeliveries,
  QueuedRun,
  SettledDelivery,
  WebhookPlace,
  WebhookStore,
  WebhookWrite,
} from './webhooks.ts';
export { isIndexed, LOOKED_THROUGH, phrasesIn, wordsIn, wordsMatcher } from './words.ts';
export type { Loss, Work, WorkInHand } from './work-in-hand.ts';
