import type { EffectIntent, Json, RunError } from '@baton/protocol';

/**
 * A call to the outside that a node asked for. It is performed after its intent was committed, and not during
 * the slice.
 */
export interface Effect extends EffectIntent {
  /** Stable over crashes: the same run, node, execution and attempt always give the same key. */
  readonly key: string;
  readonly tenant: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
  /** A replay performs the effect to compare the outcome, so a kept answer must not be used. */
  readonly fresh?: boolean;
}

export type EffectOutcome =
  | {
      readonly kind: 'done';
      readonly outputs: Readonly<Record<string, Json>>;
      /** An answer that other runs of the tenant may use. It is stored in the slice with the outcome. */
      readonly keep?: { readonly cacheKey: string; readonly answer: Json };
    }
  /** `retryable: false` when another try would fail the same way. */
  | { readonly kind: 'failed'; readonly error: RunError; readonly retryable?: boolean };

export interface Effects {
  perform(effect: Effect): Promise<EffectOutcome>;
}
