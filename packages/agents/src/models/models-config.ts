import type { ModelClass } from '@baton/protocol';

/** The configuration of models, after all checks. `readModels` makes it from the operator's file and variables. */

export const PROVIDER_KINDS = ['openai', 'anthropic', 'google', 'openai-compatible', 'scripted'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export const OPENAI_APIS = ['responses', 'chat'] as const;
export type OpenAiApi = (typeof OPENAI_APIS)[number];

/** One model of one provider. In the file it is written as `provider/model`. */
export interface ModelTarget {
  readonly provider: string;
  readonly model: string;
}

/** `value` is known at the start. `secret` is the name of a secret that is looked up for each call. */
export type ProviderKey = { readonly value: string } | { readonly secret: string };

export interface ProviderConfig {
  readonly kind: ProviderKind;
  /** Absent: the address of the vendor. */
  readonly baseURL?: string;
  /** Which API of OpenAI an endpoint of the kind `openai` has. Absent: see `speaksResponses`. */
  readonly api?: OpenAiApi;
  readonly key?: ProviderKey;
  readonly headers?: Readonly<Record<string, string>>;
  /** Calls at once. */
  readonly concurrency: number;
  /** For requests that do not state how long the answer may be. */
  readonly maxOutputTokens: number;
  /** How long the first byte of an answer may take. */
  readonly firstByteMs: number;
  /** How long a stream may be silent. */
  readonly silenceMs: number;
  /** How long a call may take in total. */
  readonly totalMs: number;
  /** Whether the endpoint takes the JSON Schema of the answer. */
  readonly structuredOutputs: boolean;
}

/** US dollars for a million tokens. Without a price of their own, cached tokens cost as much as others. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface ModelsConfig {
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly classes: Readonly<Record<ModelClass, ModelTarget>>;
  readonly fallbacks: Readonly<Partial<Record<ModelClass, readonly ModelTarget[]>>>;
  /** Keyed by `provider/model`. */
  readonly prices: Readonly<Record<string, TokenPrices>>;
}

export const DEFAULTS = {
  concurrency: 32,
  maxOutputTokens: 8192,
  firstByteMs: 120_000,
  silenceMs: 60_000,
  totalMs: 1_800_000,
  structuredOutputs: true,
} as const;

/** The built-in provider that needs no key. It is always connected. */
export const SCRIPTED = 'scripted';

export function nameOf({ provider, model }: ModelTarget): string {
  return `${provider}/${model}`;
}
