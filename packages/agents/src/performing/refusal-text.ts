import type { ModelMessage } from '@baton/protocol';

const MAX_CHARACTERS = 2000;
const WINDOW = 16;
const STRIDE = 8;

/**
 * The text of a refusal as it is recorded. It is shortened, and left out when it repeats a part of the
 * request. Any 23 characters in common contain a whole window, so every longer repetition is found.
 */
export function recordableRefusal(text: string, messages: readonly ModelMessage[]): string | undefined {
  const said = text.slice(0, MAX_CHARACTERS);
  const asked = JSON.stringify(messages.map((message) => message.content));
  for (let at = 0; at + WINDOW <= said.length; at += STRIDE) {
    // Escaped in the same way as the text that is searched.
    const piece = JSON.stringify(said.slice(at, at + WINDOW)).slice(1, -1);
    if (asked.includes(piece)) return undefined;
  }
  return said;
}
