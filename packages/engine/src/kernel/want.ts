import type { EventType } from '@baton/protocol';
import type { MemoryQuery } from '../ports/memory.ts';

/** What a step has to know before it can go on. The driver finds out, and calls again. */
export type Want =
  | { readonly kind: 'workflow'; readonly tenant: string; readonly id: string }
  | { readonly kind: 'memory'; readonly query: MemoryQuery }
  | { readonly kind: 'scope'; readonly tenant: string; readonly scope: string }
  | { readonly kind: 'transcript'; readonly runId: string; readonly from: number; readonly limit: number }
  | SourceWant;

/** What the driver has to fetch before a replay can go on. */
export type SourceWant =
  | { readonly kind: 'source-events'; readonly runId: string }
  | { readonly kind: 'source-child'; readonly runId: string; readonly number: number }
  | { readonly kind: 'source-outcomes'; readonly runId: string };

export interface TranscriptLine {
  readonly sequence: number;
  readonly type: string;
  readonly nodeId?: string;
}

export interface ReplacedText {
  readonly eventId: string;
  readonly type: EventType;
  readonly field: string;
}
