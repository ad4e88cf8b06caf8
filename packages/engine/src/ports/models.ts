import type { ModelRequest, RunError, Truncation } from '@baton/protocol';
import type { SaidPart } from './said-parts.ts';

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
  /** The W3C trace context of the call. */
  readonly traceparent?: string;
  /** Aborted when the answer is no longer awaited. */
  readonly signal: AbortSignal;
  /** Reports a part of the answer as soon as it is there. */
  progress(text: string): void;
  /** Reports a part of the model's reasoning as soon as it is there. */
  reasoned(text: string): void;
}

/** As the provider counts. `inputTokens` includes the tokens that were read from and written to its cache. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** A part of `outputTokens`. */
  readonly reasoningTokens?: number;
}

/** An estimate of what the call cost, in US dollars. Absent for a model without a known price. */
type CostUsd = number;

export interface ModelText {
  readonly kind: 'text';
  /** The text of the answer, without reasoning. Empty when the model only calls tools. */
  readonly text: string;
  /** `end` when the answer was not cut off. */
  readonly stopReason: 'end' | Truncation;
  /** Absent when the provider does not count tokens. */
  readonly usage?: TokenUsage;
  readonly costUsd?: CostUsd;
  /**
   * The whole answer in its order: text, reasoning and tool calls, as the provider must get it back with the
   * next request. Absent: the answer is only `text`.
   */
  readonly parts?: readonly SaidPart[];
  /** The model that answered, when the provider names another one than was asked for. */
  readonly model?: string;
  /** What the provider did differently from the request, for example a parameter that it left out. */
  readonly notes?: readonly string[];
  readonly substitute?: Substitute;
}

/** The provider and model that answered in place of those that were asked for. */
export interface Substitute {
  readonly provider: string;
  readonly model: string;
}

export type ModelAnswer =
  | ModelText
  | {
      readonly kind: 'refusal';
      readonly text?: string;
      /** In the words of the provider. */
      readonly category?: string;
      readonly usage?: TokenUsage;
      readonly costUsd?: CostUsd;
      readonly substitute?: Substitute;
    }
  | {
      readonly kind: 'error';
      readonly error: RunError;
      readonly retryable: boolean;
      /** How long the provider asks to wait. */
      readonly retryAfterMs?: number;
      /** The tokens of the failed call, when the provider reported them. */
      readonly usage?: TokenUsage;
      readonly costUsd?: CostUsd;
    };
