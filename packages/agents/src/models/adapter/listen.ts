import type { LanguageModelV3StreamPart, SharedV3Warning } from '@ai-sdk/provider';
import { isJsonObject, type Json } from '@baton/protocol';
import { type HeardParts, heardParts } from './heard-parts.ts';

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
