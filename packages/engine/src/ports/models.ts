import type { ModelRequest, RunError, Truncation } from '@baton/protocol';

/**
 * Models, whoever runs them. A provider puts one request to one model and tells in these words what came of
 * it; whether to ask again, and what the answer is worth, is decided by whoever asked.
 */
export interface Models {
  /** Nothing when nobody of that name is connected. */
  provider(id: string): ModelProvider | undefined;
}

export interface ModelProvider {
  /** Asking again costs nothing and touches nobody, so a replay may ask and compare. */
  readonly reexecutable: boolean;
  ask(call: ModelCall): Promise<ModelAnswer>;
}

export interface ModelCall {
  readonly request: ModelRequest;
  readonly tenant: string;
  readonly nodeId: string;
  /** Stable over crashes, for providers that recognise a repeated call. */
  readonly key: string;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface ModelText {
  readonly kind: 'text';
  readonly text: string;
  /** `end` when the model had said what it wanted to say. */
  readonly stopReason: 'end' | Truncation;
  readonly usage: TokenUsage;
}

export type ModelAnswer =
  | ModelText
  | {
      readonly kind: 'refusal';
      readonly text?: string;
      /** As the provider names it. */
      readonly category?: string;
      readonly usage?: TokenUsage;
    }
  | { readonly kind: 'error'; readonly error: RunError; readonly retryable: boolean };
