import type { EventType } from '@baton/protocol';
import type { MemoryQuery } from '../ports/memory.ts';

/** A look-up that a step needs. The driver makes the look-up and calls the kernel again. */
export type Want =
  | { readonly kind: 'workflow'; readonly tenant: string; readonly id: string }
  | { readonly kind: 'memory'; readonly query: MemoryQuery }
  | { readonly kind: 'scope'; readonly tenant: string; readonly scope: string }
  | { readonly kind: 'transcript'; readonly runId: string; readonly from: number; readonly limit: number }
  | SourceWant;

/** A part of the source that a replay needs. */
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
