import type { InterruptKind } from '@baton/protocol';
import type { Page } from './page.ts';

export interface InterruptRecord {
  readonly runId: string;
  readonly interruptId: string;
  readonly nodeId: string;
  readonly kind: InterruptKind;
  readonly title: string;
  readonly requestedAt: number;
  readonly expiresAt?: number;
}

export interface InterruptRow extends InterruptRecord {
  readonly workflowId: string;
  readonly rootId: string;
}

export interface InterruptReads {
  /** The open interrupts of all runs of a tenant, or of one run and its descendants, the oldest first. */
  interrupts(tenant: string, limit: number, cursor?: string, runId?: string): Promise<Page<InterruptRow>>;
}
