import { digest } from './canonical.ts';
import type { Json } from './json.ts';
import { ModelRequest } from './schemas/model-request.ts';
import { parse } from './validate.ts';

/**
 * The name of a model request by its meaning, the same on every host: SHA-256 over the canonical form. It says
 * nothing about who asked, so it must never be used without the tenant beside it.
 */

/** Named in what is hashed, so that keys of an older recipe can never be taken for these. */
export const LLM_CACHE_KEY_RECIPE = 'openwop-semantic-request-v2';

export function llmCacheKey(request: ModelRequest): string {
  return digest(canonicalRequest(request));
}

/** Whatever a caller sent as a request; a `validation_error` names the field that is wrong. */
export function parseModelRequest(value: unknown): ModelRequest {
  return parse(ModelRequest, value, 'model request');
}

/** Only fields that can change the answer are taken over. What is absent stays absent: there are no defaults. */
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

/** By UTF-16 code units, as `<` compares: collation differs from one machine to the next. */
function byName<T extends { readonly name: string }>(tools: readonly T[]): readonly T[] {
  return [...tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function present(fields: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Json;
}
