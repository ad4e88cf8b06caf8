import { digest } from './canonical.ts';
import type { Json } from './json.ts';
import { ModelRequest } from './schemas/model-request.ts';
import { parse } from './validate.ts';

/**
 * The key of a model request, the same on every host: SHA-256 over the canonical form. The key does not
 * depend on the tenant, so every lookup must also compare the tenant.
 */

/** Part of the hashed text, so that a key from an older recipe never equals a key from this one. */
export const LLM_CACHE_KEY_RECIPE = 'openwop-semantic-request-v2';

export function llmCacheKey(request: ModelRequest): string {
  return digest(canonicalRequest(request));
}

/** Checks a model request from a caller. A `validation_error` names the field that is wrong. */
export function parseModelRequest(value: unknown): ModelRequest {
  return parse(ModelRequest, value, 'model request');
}

/**
 * Only fields that can change the answer are included. An absent field stays absent; there are no defaults.
 */
function canonicalRequest(request: ModelRequest): Json {
  const { provider, model, providerOptions, messages, tools } = request;
  const { temperature, topP, topK, maxOutputTokens, seed, stop, responseFormat, safetySettings } = request;
  const sampling = { temperature, topP, topK, maxOutputTokens, seed, stop, responseFormat, safetySettings };
  return present({
    recipe: LLM_CACHE_KEY_RECIPE,
    provider,
    model,
    request: present({ messages, tools: tools?.length ? byName(tools) : undefined, ...sampling }),
    providerOptions,
  });
}

/** `<` compares UTF-16 code units. A locale-aware order would differ between machines. */
function byName<T extends { readonly name: string }>(tools: readonly T[]): readonly T[] {
  return [...tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function present(fields: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Json;
}
