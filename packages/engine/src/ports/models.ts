import type { ModelRequest, RunError, Truncation } from '@baton/protocol';

/**
 * Model providers. A provider sends one request to one model and reports the result. The caller decides
 * whether the answer is valid and whether to ask again.
 */
export interface Models {
  /** `undefined` when no provider with this name is connected. */
  provider(id: string): ModelProvider | undefined;
}

export interface ModelProvider {
  /** True when asking again costs nothing and has no side effects, so that a replay may ask and compare. */
  readonly reexecutable: boolean;
  ask(call: ModelCall): Promise<ModelAnswer>;
}

export interface ModelCall {
  readonly request: ModelRequest;
  readonly tenant: string;
  readonly nodeId: string;
  /** Stable over crashes, for providers that recognise a repeated call. */
  readonly key: string;
  /** Aborted when the answer is no longer awaited. */
  readonly signal: AbortSignal;
  /** Reports a part of the answer as soon as it is there. */
  progress(text: string): void;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface ModelText {
  readonly kind: 'text';
  readonly text: string;
  /** `end` when the answer was not cut off. */
  readonly stopReason: 'end' | Truncation;
  readonly usage: TokenUsage;
}

export type ModelAnswer =
  | ModelText
  | {
      readonly kind: 'refusal';
      readonly text?: string;
      /** In the words of the provider. */
      readonly category?: string;
      readonly usage?: TokenUsage;
    }
  | {
      readonly kind: 'error';
      readonly error: RunError;
      readonly retryable: boolean;
      /** How long the provider asks to wait. */
      readonly retryAfterMs?: number;
    };
