import type { EffectIntent, Json, RunError } from '@baton/protocol';

/** Something outside that a node asked for. Performed after the intent is durable, outside the slice. */
export interface Effect extends EffectIntent {
  /** Stable over crashes: the same run, node, execution and attempt always give the same key. */
  readonly key: string;
  readonly tenant: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
  /** Performed by a replay to compare: nothing that was kept may stand in for it. */
  readonly fresh?: boolean;
}

export type EffectOutcome =
  | {
      readonly kind: 'done';
      readonly outputs: Readonly<Record<string, Json>>;
      /** An answer that other runs of the tenant may use; kept in the slice that records the outcome. */
      readonly keep?: { readonly cacheKey: string; readonly answer: Json };
    }
  /** `retryable: false` when another try would fail the same way. */
  | { readonly kind: 'failed'; readonly error: RunError; readonly retryable?: boolean };

export interface Effects {
  perform(effect: Effect): Promise<EffectOutcome>;
}
