import type {
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { Opaque } from '@baton/engine/ports';
import { isJsonObject, type Json, type JsonObject, type ModelMessage } from '@baton/protocol';

/** Translates the messages of a request into the form of the provider packages. */

/** A message that no provider can be sent. The text of the error names parts by their type only. */
export class UnsendableMessage extends Error {}

type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
type ToolContent = Extract<LanguageModelV3Message, { role: 'tool' }>['content'];

export function toPrompt(messages: readonly ModelMessage[], provider: string): LanguageModelV3Prompt {
  const head = messages.findIndex(({ role }) => role !== 'system');
  // Google refuses a system message inside a conversation, and Anthropic can take it for the system prompt.
  // A request that has only system messages would have no question.
  return messages.map((message, at) => toMessage(message, at < head, provider));
}

function toMessage(message: ModelMessage, isHead: boolean, provider: string): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return isHead ? { role: 'system', content: textOf(message) } : userMessage(message);
    case 'user':
      return userMessage(message);
    case 'assistant':
      return { role: 'assistant', content: assistantContent(message, provider) };
    case 'tool':
      return { role: 'tool', content: toolContent(message) };
  }
}

function userMessage(message: ModelMessage): LanguageModelV3Message {
  return { role: 'user', content: [{ type: 'text', text: textOf(message) }] };
}

function textOf({ role, content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => textOfPart(part, role)).join('\n');
}

function textOfPart(part: JsonObject, role: string): string {
  if (part.type === 'text' && typeof part.text === 'string') return part.text;
  throw new UnsendableMessage(
    `A message with the role "${role}" has a part of the type "${part.type}"; only text can be sent.`,
  );
}

/**
 * Opaque data goes back to the provider that gave it. If a message has data of another provider, all of it is
 * left out, with the reasoning that it belongs to, because providers refuse one without the other.
 */
function assistantContent({ content }: ModelMessage, provider: string): AssistantContent {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const ours = content.every((part) => isOpaque(part.opaque) === false || part.opaque.provider === provider);
  return content.flatMap((part): AssistantContent => {
    const opaque = ours && isOpaque(part.opaque) ? part.opaque : undefined;
    const options = opaque && isJsonObject(opaque.data) ? { providerOptions: toOptions(opaque.data) } : {};
    switch (part.type) {
      case 'reasoning':
        return opaque === undefined ? [] : [{ type: 'reasoning', text: String(part.text ?? ''), ...options }];
      case 'tool-call':
        return [
          {
            type: 'tool-call',
            toolCallId: String(part.id ?? ''),
            toolName: String(part.name ?? ''),
            // Vendors take only an object here, so arguments that could not be read go back as an empty one.
            input: isJsonObject(part.input) ? part.input : {},
            ...options,
          },
        ];
      default:
        return [{ type: 'text', text: textOfPart(part, 'assistant'), ...options }];
    }
  });
}

function isOpaque(value: Json | undefined): value is Opaque {
  return isJsonObject(value) && typeof value.provider === 'string';
}

/** The data were given by a provider package as its metadata, so they have the form of its options. */
function toOptions(data: JsonObject): SharedV3ProviderOptions {
  return data as SharedV3ProviderOptions;
}

function toolContent(message: ModelMessage): ToolContent {
  const { content, toolCallId, name } = message;
  if (typeof content === 'string') {
    if (toolCallId === undefined) throw new UnsendableMessage('A result of a tool names no call.');
    return [toolResult(toolCallId, name ?? '', content, false)];
  }
  return content.map((part) => {
    if (part.type !== 'tool-result') {
      throw new UnsendableMessage(`A result of a tool has a part of the type "${part.type}".`);
    }
    return toolResult(
      String(part.id ?? ''),
      String(part.name ?? ''),
      part.output ?? null,
      part.isError === true,
    );
  });
}

function toolResult(id: string, name: string, value: Json, isError: boolean): ToolContent[number] {
  const base = { type: 'tool-result', toolCallId: id, toolName: name } as const;
  if (typeof value === 'string') return { ...base, output: { type: isError ? 'error-text' : 'text', value } };
  return { ...base, output: { type: isError ? 'error-json' : 'json', value: value as never } };
}
