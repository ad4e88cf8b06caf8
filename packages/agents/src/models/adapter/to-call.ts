import type { LanguageModelV3CallOptions, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { isJsonObject, type Json, type JsonObject, type ModelRequest } from '@baton/protocol';
import { type Connection, speaksResponses, VENDOR_NAMES, type VendorKind } from './language-model.ts';
import { toPrompt } from './to-prompt.ts';

/** Translates a request into the options of one call of a provider package. */

interface Asked extends Pick<Connection, 'kind' | 'baseURL' | 'api'> {
  /** The name of the provider in the configuration. */
  readonly provider: string;
  readonly maxOutputTokens: number;
}

export function toCall(request: ModelRequest, asked: Asked): LanguageModelV3CallOptions {
  const { responseFormat, tools = [], temperature, topP, topK, seed, stop } = request;
  const strict = asked.kind === 'openai';
  return {
    prompt: toPrompt(request.messages, asked.provider),
    // Without a bound the packages choose one themselves, by the name of the model.
    maxOutputTokens: request.maxOutputTokens ?? asked.maxOutputTokens,
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
    ...(responseFormat?.type === 'json' && {
      responseFormat: { type: 'json', ...(responseFormat.schema && { schema: responseFormat.schema }) },
    }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        ...(description !== undefined && { description }),
        inputSchema: parameters,
        // OpenAI decides for itself when this is not stated.
        ...(strict && { strict: fitsStrictMode(parameters as JsonObject) }),
      })),
      toolChoice: { type: responseFormat?.type === 'tool_call' ? 'required' : 'auto' },
    }),
    // A refusal is only in the raw frames of a compatible endpoint.
    includeRawChunks: asked.kind === 'openai-compatible',
    providerOptions: { [VENDOR_NAMES[asked.kind]]: vendorOptions(request, asked) },
  };
}

function vendorOptions(request: ModelRequest, asked: Asked): SharedV3ProviderOptions[string] {
  const options: Record<string, Json> = {};
  const { kind } = asked;
  if (kind === 'openai' || kind === 'openai-compatible') {
    const schema = request.responseFormat?.schema as JsonObject | undefined;
    if (schema !== undefined) options.strictJsonSchema = fitsStrictMode(schema);
  }
  // Nothing of a conversation stays with the vendor: its reasoning comes back encrypted and is kept here.
  if (speaksResponses(asked)) options.store = false;
  if (kind === 'google' && request.safetySettings !== undefined) {
    options.safetySettings = Object.entries(request.safetySettings as JsonObject).map(
      ([category, threshold]) => ({ category, threshold }),
    );
  }
  return { ...options, ...ownOptions(request, asked.provider, kind) } as SharedV3ProviderOptions[string];
}

/** The options `vendor.<name>.<option>`, where the name is that of the provider or of its kind. */
function ownOptions(request: ModelRequest, provider: string, kind: VendorKind): JsonObject {
  const given = request.providerOptions;
  if (!isJsonObject(given as Json)) return {};
  const prefixes = [kind, provider].map((name) => `vendor.${name}.`);
  return Object.fromEntries(
    prefixes.flatMap((prefix) =>
      Object.entries(given as JsonObject).flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
      ),
    ),
  );
}

/**
 * Whether OpenAI's strict mode takes a schema: every object names all its properties as required and allows no
 * others, and there are no keywords outside of the subset. OpenAI refuses a request with another schema.
 */

const KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  '$ref',
  '$defs',
  'title',
  'description',
]);
const MAX_DEPTH = 5;
const MAX_PROPERTIES = 100;

export function fitsStrictMode(schema: Json): boolean {
  const left = { properties: MAX_PROPERTIES };
  return isJsonObject(schema) && schema.type === 'object' && fits(schema, 1, left);
}

function fits(schema: Json, depth: number, left: { properties: number }): boolean {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return false;
  if (!Object.keys(schema).every((keyword) => KEYWORDS.has(keyword))) return false;
  const parts = [...valuesOf(schema.$defs), ...listOf(schema.anyOf), ...valuesOf(schema.properties)];
  if (schema.items !== undefined) parts.push(schema.items);
  if (isObjectSchema(schema)) {
    const names = Object.keys(isJsonObject(schema.properties) ? schema.properties : {});
    const required = listOf(schema.required);
    left.properties -= names.length;
    if (schema.additionalProperties !== false || left.properties < 0) return false;
    if (!names.every((name) => required.includes(name))) return false;
  }
  return parts.every((part) => fits(part, depth + 1, left));
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return properties !== undefined || type === 'object' || listOf(type).includes('object');
}

function valuesOf(value: Json | undefined): Json[] {
  return isJsonObject(value) ? Object.values(value) : [];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
