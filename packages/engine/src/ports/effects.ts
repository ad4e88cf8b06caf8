import type { EffectIntent, Json, RunError } from '@baton/protocol';

/**
 * A call to the outside that a node asked for. It is performed after its intent was committed, and not during
 * the slice.
 */
export interface Effect extends EffectIntent {
  /** Stable over crashes: the same run, node, execution, attempt and step always give the same key. */
  readonly key: string;
  readonly tenant: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
  /** Which effect of the attempt this is, from 1.  */
  readonly step: number;
  /** Which try of the effect this is, from 1. */
  readonly tries: number;
  /** Not to be performed before this time. */
  readonly until?: number;
  /** The run has sensitive values, so no part of the outcome may be told before it is recorded. */
  readonly confidential?: boolean;
  /**
   * The effect was intended by a process that was lost, so it may have been performed already. Only the
   * recording of its outcome is certain to be missing.
   */
  readonly again?: boolean;
  /** The `traceparent` of the caller of the run. `traceparentOfCall` makes that of the effect from it. */
  readonly trace?: string;
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
  | {
      readonly kind: 'failed';
      readonly error: RunError;
      /** False when another try would fail the same way. */
      readonly retryable?: boolean;
      /** The next try must not begin earlier. */
      readonly retryAfterMs?: number;
      /** What the failed try has cost, for example the tokens of a model. */
      readonly spent?: Readonly<Record<string, Json>>;
    };

export interface EffectContext {
  /** Aborted when the outcome is no longer awaited: the run was cancelled, or the node timed out. */
  readonly signal: AbortSignal;
  /** Reports a part of a text that the effect brings. Each call becomes an event of the run. */
  progress(chunk: string, isLast?: boolean, of?: ProgressOf): void;
}

/** The text that a part belongs to: the answer of a model (if absent), or its reasoning. */
export type ProgressOf = 'reasoning';

export interface Effects {
  perform(effect: Effect, context: EffectContext): Promise<EffectOutcome>;
}
