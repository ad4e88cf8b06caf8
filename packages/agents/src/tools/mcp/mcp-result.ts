import type { ToolResult } from '@baton/engine/ports';
import { isJsonObject, type Json, type JsonObject, storableJson, wellFormed } from '@baton/protocol';
import { failed, failedInItsWords, ok } from '../tool-results.ts';

/**
 * The result of a call to an MCP server. Structured content comes first, because a declared schema describes it;
 * otherwise the result is the text. Images and other binary content are named and left out.
 */
export function mcpResult(given: unknown): ToolResult {
  const result = plain(given);
  if (result === undefined) return failed('tool_result_invalid');
  const parts = Array.isArray(result.content) ? result.content.map(shown) : [];
  if (result.isError === true) return failedInItsWords('The tool reports a failure', textOf(parts));
  if (result.structuredContent !== undefined) return ok(result.structuredContent);
  return ok(parts.every((part) => typeof part === 'string') ? textOf(parts) : parts);
}

function plain(given: unknown): JsonObject | undefined {
  try {
    const value = wellFormed(storableJson(given));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(parts: readonly Json[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('\n');
}

function shown(part: Json): Json {
  if (!isJsonObject(part)) return 'A part of the result cannot be read.';
  const { type, text, resource, mimeType = 'unknown' } = part;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource' && isJsonObject(resource)) {
    const { uri = '', text: content } = resource;
    return typeof content === 'string' ? { uri, text: content } : { uri, leftOut: 'binary content' };
  }
  if (type === 'resource_link') return { uri: part.uri ?? '', name: part.name ?? '' };
  return { leftOut: String(type), mimeType };
}
