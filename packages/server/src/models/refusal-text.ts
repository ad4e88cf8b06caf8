import type { ModelMessage } from '@baton/protocol';

const MAX_CHARACTERS = 2000;
const WINDOW = 16;
const STRIDE = 8;

/**
 * A refusal as it may be recorded: not at length, and not at all when it repeats what the model was asked. A
 * stretch of 23 characters in common always holds a whole window, so none gets by.
 */
export function recordableRefusal(text: string, messages: readonly ModelMessage[]): string | undefined {
  const said = text.slice(0, MAX_CHARACTERS);
  const asked = JSON.stringify(messages.map((message) => message.content));
  for (let at = 0; at + WINDOW <= said.length; at += STRIDE) {
    // As it would stand in the text that is searched.
    const piece = JSON.stringify(said.slice(at, at + WINDOW)).slice(1, -1);
    if (asked.includes(piece)) return undefined;
  }
  return said;
}
