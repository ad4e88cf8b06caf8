import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata, SharedV3Warning } from '@ai-sdk/provider';
import type { Opaque, SaidPart } from '@baton/engine/ports';
import { isJsonObject, type Json, type JsonObject, toJson } from '@baton/protocol';

/** All that was heard of a stream. The rule for a finished stream decides what it means. */
export interface Heard {
  readonly parts: HeardParts;
  readonly warnings: SharedV3Warning[];
  finish?: Extract<LanguageModelV3StreamPart, { type: 'finish' }>;
  /** The error of the first error frame. */
  errorFrame?: { readonly error: unknown };
  /** The text of a refusal that only the raw frames hold. */
  rawRefusal: string;
  /** The model that the provider names. */
  model?: string;
}

interface Listener {
  progress(text: string): void;
  reasoned(text: string): void;
}

export function nothingHeard(provider: string): Heard {
  return { parts: heardParts(provider), warnings: [], rawRefusal: '' };
}

/** Reads a stream to its end, or until the answer is too large. */
export async function listen(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  heard: Heard,
  listener: Listener,
): Promise<void> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    hear(value, heard, listener);
    if (heard.parts.isTooLarge()) return;
  }
}

function hear(part: LanguageModelV3StreamPart, heard: Heard, { progress, reasoned }: Listener): void {
  const { parts } = heard;
  switch (part.type) {
    case 'stream-start':
      heard.warnings.push(...part.warnings);
      break;
    case 'response-metadata':
      if (part.modelId !== undefined) heard.model = part.modelId;
      break;
    case 'text-start':
      parts.begin('text', part.id, part.providerMetadata);
      break;
    case 'text-delta':
      parts.add('text', part.id, part.delta, part.providerMetadata);
      if (part.delta !== '') progress(part.delta);
      break;
    case 'text-end':
      parts.add('text', part.id, '', part.providerMetadata);
      break;
    case 'reasoning-start':
      parts.begin('reasoning', part.id, part.providerMetadata);
      break;
    case 'reasoning-delta':
      parts.add('reasoning', part.id, part.delta, part.providerMetadata);
      if (part.delta !== '') reasoned(part.delta);
      break;
    case 'reasoning-end':
      parts.add('reasoning', part.id, '', part.providerMetadata);
      break;
    case 'tool-call':
      parts.call(part.toolCallId, part.toolName, part.input, part.providerMetadata);
      break;
    case 'raw':
      heard.rawRefusal += refusalIn(part.rawValue as Json);
      break;
    case 'error':
      heard.errorFrame ??= { error: part.error };
      break;
    case 'finish':
      heard.finish = part;
      break;
    default:
    // Tools that the provider runs itself are never offered to it, and sources and files are not used.
  }
}

/** `choices[0].delta.refusal` of a frame of the Chat Completions API. */
function refusalIn(frame: Json): string {
  const choices = isJsonObject(frame) ? frame.choices : undefined;
  const [choice] = Array.isArray(choices) ? choices : [];
  const delta = isJsonObject(choice) ? choice.delta : undefined;
  const refusal = isJsonObject(delta) ? delta.refusal : undefined;
  return typeof refusal === 'string' ? refusal : '';
}

/** Gathers the parts of an answer while it is streamed, in the order in which they begin. */
interface HeardParts {
  begin(type: 'text' | 'reasoning', id: string, metadata?: SharedV3ProviderMetadata): void;
  add(type: 'text' | 'reasoning', id: string, text: string, metadata?: SharedV3ProviderMetadata): void;
  call(id: string, name: string, input: string, metadata?: SharedV3ProviderMetadata): void;
  /** True when the answer has become larger than an answer may be. */
  isTooLarge(): boolean;
  parts(): SaidPart[];
}

/** Longer answers would not fit into an event. */
const MAX_CHARACTERS = 1024 * 1024;
const MAX_PARTS = 1000;
const MAX_NAME = 512;

interface Piece {
  readonly type: 'text' | 'reasoning';
  readonly texts: string[];
  metadata: JsonObject;
}

type Call = Extract<SaidPart, { type: 'tool-call' }>;

function heardParts(provider: string): HeardParts {
  const heard: (Piece | Call)[] = [];
  const open = new Map<string, Piece>();
  const ids = new Set<string>();
  let characters = 0;

  const opaqueOf = (metadata: JsonObject): { opaque?: Opaque } =>
    Object.keys(metadata).length === 0 ? {} : { opaque: { provider, data: metadata } };

  function piece(type: Piece['type'], id: string): Piece {
    const name = `${type} ${id}`;
    const found = open.get(name);
    if (found !== undefined) return found;
    const made: Piece = { type, texts: [], metadata: {} };
    open.set(name, made);
    heard.push(made);
    return made;
  }

  /** Some local servers give every call the same id, or none. */
  function uniqueId(given: string): string {
    const id = given.slice(0, MAX_NAME - 8) || 'call';
    let unique = id;
    for (let number = 2; ids.has(unique); number += 1) unique = `${id}-${number}`;
    ids.add(unique);
    return unique;
  }

  return {
    begin(type, id, metadata) {
      open.delete(`${type} ${id}`);
      const begun = piece(type, id);
      begun.metadata = merged(begun.metadata, metadata);
    },
    add(type, id, text, metadata) {
      const found = piece(type, id);
      if (text !== '') found.texts.push(text);
      found.metadata = merged(found.metadata, metadata);
      characters += text.length;
    },
    call(id, name, input, metadata) {
      characters += input.length;
      const parsed = parsedInput(input);
      heard.push({
        type: 'tool-call',
        id: uniqueId(id),
        name: name.slice(0, MAX_NAME),
        ...(parsed !== undefined && { input: parsed }),
        ...opaqueOf(merged({}, metadata)),
      });
    },
    isTooLarge: () => characters > MAX_CHARACTERS || heard.length > MAX_PARTS,
    parts: () =>
      heard.flatMap((part): SaidPart[] => {
        if (part.type === 'tool-call') return [part];
        const text = part.texts.join('');
        const opaque = opaqueOf(part.metadata);
        if (text === '' && opaque.opaque === undefined) return [];
        if (part.type === 'text') return [{ type: 'text', text, ...opaque }];
        // Reasoning is marked with its provider even if there is no data, because only this provider gets it back.
        return [{ type: 'reasoning', text, opaque: { provider, data: part.metadata } }];
      }),
  };
}

/** The arguments of a call without parameters may be an empty text. */
function parsedInput(input: string): Json | undefined {
  try {
    return toJson(JSON.parse(input.trim() === '' ? '{}' : input));
  } catch {
    return undefined;
  }
}

/** Metadata of one part may come in several frames. */
function merged(before: JsonObject, metadata: SharedV3ProviderMetadata | undefined): JsonObject {
  if (metadata === undefined) return before;
  const added = withoutEmpty(toJson(metadata) as JsonObject);
  return Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(added)])].map((vendor) => {
      const [old, fresh] = [before[vendor], added[vendor]];
      return [vendor, { ...(isJsonObject(old) && old), ...(isJsonObject(fresh) && fresh) }];
    }),
  );
}

/** Without values that are null, which say nothing, and vendors without values. */
function withoutEmpty(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([vendor, values]) => {
      const kept = Object.entries(isJsonObject(values) ? values : {}).filter(([, value]) => value !== null);
      return kept.length === 0 ? [] : [[vendor, Object.fromEntries(kept)]];
    }),
  );
}
