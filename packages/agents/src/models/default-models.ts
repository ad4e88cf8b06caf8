import type { ModelClass } from '@baton/protocol';
import type { ProviderKind } from './models-config.ts';

/**
 * The models that are used when only the key of a vendor is known: a large model where quality counts most, a
 * small one for classification, and the vendor's usual model for the rest.
 */
type Sizes = Readonly<Record<'large' | 'usual' | 'small', string>>;

const MODELS: Readonly<Partial<Record<ProviderKind, Sizes>>> = {
  openai: { large: 'gpt-6-sol', usual: 'gpt-6-sol', small: 'gpt-6-luna' },
  anthropic: { large: 'claude-opus-5-5', usual: 'claude-sonnet-5-5', small: 'claude-haiku-4-5' },
  google: { large: 'gemini-3.1-pro-preview', usual: 'gemini-3.8-flash', small: 'gemini-3.5-flash-lite' },
  scripted: { large: 'script', usual: 'script', small: 'script' },
};

const SIZES = {
  reasoning: 'large',
  coding: 'large',
  research: 'usual',
  writing: 'usual',
  general: 'usual',
  classification: 'small',
} as const satisfies Record<ModelClass, keyof Sizes>;

/** `undefined` for endpoints whose models only the operator knows. */
export function defaultModel(kind: ProviderKind, modelClass: ModelClass): string | undefined {
  return MODELS[kind]?.[SIZES[modelClass]];
}
