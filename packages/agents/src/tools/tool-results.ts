import type { ToolResult } from '@baton/engine/ports';
import { type Json, type RunErrorCode, runError } from '@baton/protocol';

/** Characters of a result that a model is shown. */
export const MAX_RESULT_CHARACTERS = 32 * 1024;

/** Characters of the text in which a tool describes its own failure. */
const MAX_FAILURE_CHARACTERS = 2_000;

export function ok(output: Json): ToolResult {
  return { status: 'ok', output };
}

export function failed(code: RunErrorCode, message?: string): ToolResult {
  return { status: 'error', error: runError(code, message) };
}

/** A failure in the words of the tool itself. They are data from outside. */
export function failedInItsWords(how: string, words: string): ToolResult {
  const text = words.trim();
  return failed('tool_failed', text === '' ? `${how}.` : `${how}: ${cut(text, MAX_FAILURE_CHARACTERS)}`);
}

/** A result that is too long becomes the beginning of its text, with a note that says so. */
export function boundedOutput(output: Json, maxCharacters: number): Json {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  if (text.length <= maxCharacters) return output;
  const note = `[The result was cut. It has ${text.length} characters, and these are the first ${maxCharacters}.]`;
  return `${cut(text, maxCharacters)}\n${note}`;
}

/** The beginning of a text, without half of a character at its end. */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const last = text.charCodeAt(maxCharacters - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxCharacters - 1 : maxCharacters);
}
