import type { MemoryHistoryReads, MemoryReads } from '../memory.ts';
import type { ModelAnswerReads } from '../model-answers.ts';
import type { RemoteCancelReads } from '../peers/remote-cancels.ts';
import type { TroubleReads } from '../trouble.ts';
import type { AuditReads, ScopeHistoryReads } from './audit.ts';
import type { HostIdReads } from './host-id.ts';
import type { HostWorkReads } from './hosts.ts';
import type { InterruptReads } from './interrupts.ts';
import type { KeyReads } from './keys.ts';
import type { LogReads } from './logs.ts';
import type { PeerReads } from './peers.ts';
import type { ReplyReads } from './replies.ts';
import type { RunReads } from './runs.ts';
import type { SecretReads } from './secrets.ts';
import type { SpendingReads } from './spending.ts';
import type { StorageReads } from './storage.ts';
import type { TaskPushReads } from './task-pushes.ts';
import type { WebhookReads } from './webhooks.ts';
import type { DefinitionReads, WorkflowReads, WorkflowVersionReads } from './workflows.ts';

/**
 * Reads for callers. The tenant is part of every query with arguments from a caller. A purged run has a row,
 * but no state and no events.
 *
 * Every read returns a promise, because a store may be remote, and other work is done before the promise
 * settles. Two reads may therefore see different moments. The data of one answer that must belong together is
 * read with one method. A read that fails rejects; no read throws.
 */
export type StoreReads = RunReads &
  LogReads &
  InterruptReads &
  StorageReads &
  WorkflowReads &
  WorkflowVersionReads &
  DefinitionReads &
  KeyReads &
  HostIdReads &
  HostWorkReads &
  PeerReads &
  SecretReads &
  SpendingReads &
  TaskPushReads &
  RemoteCancelReads &
  ReplyReads &
  WebhookReads &
  MemoryReads &
  MemoryHistoryReads &
  ModelAnswerReads &
  AuditReads &
  ScopeHistoryReads &
  TroubleReads & { close(): Promise<void> };
