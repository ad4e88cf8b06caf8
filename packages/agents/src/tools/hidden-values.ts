import type { ToolResult } from '@baton/engine/ports';
import type { Json } from '@baton/protocol';

/** A shorter value would hide ordinary text. */
const SHORTEST = 6;

/**
 * The result without values that were sent to the tool in confidence. Some servers repeat the headers of a request in
 * their answer or in their error.
 */
export function withoutHidden(result: ToolResult, hidden: readonly string[]): ToolResult {
  const values = hidden.filter((value) => value.length >= SHORTEST);
  if (values.length === 0 || result.status === 'rate_limited') return result;
  if (result.status === 'ok') return { status: 'ok', output: hideIn(result.output, values) };
  return { status: 'error', error: { ...result.error, message: hideInText(result.error.message, values) } };
}

function hideIn(value: Json, hidden: readonly string[]): Json {
  if (typeof value === 'string') return hideInText(value, hidden);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => hideIn(item, hidden));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [hideInText(name, hidden), hideIn(member, hidden)]),
  );
}

export function hideInText(text: string, hidden: readonly string[]): string {
  return hidden
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), base64(value)])
    .reduce((shown, value) => shown.replaceAll(value, '[REDACTED]'), text);
}

function base64(value: string): string {
  return Buffer.from(value).toString('base64');
}
