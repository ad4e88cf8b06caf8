import type { SharedV3ProviderMetadata } from '@ai-sdk/provider';
import type { Opaque, SaidPart } from '@baton/engine/ports';
import { isJsonObject, type Json, type JsonObject, toJson } from '@baton/protocol';

/** Gathers the parts of an answer while it is streamed, in the order in which they begin. */
export interface HeardParts {
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

export function heardParts(provider: string): HeardParts {
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
