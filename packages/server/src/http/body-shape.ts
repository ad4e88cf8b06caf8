import { BatonError } from '@baton/protocol';

/**
 * The time to read a body depends more on the number of its values than on its length. Four megabytes of one
 * text are read in milliseconds, four megabytes of `{},` in seconds. Values are therefore counted before the
 * body is parsed.
 */

/** How many values and how many levels of nesting a body may have. */
export const MAX_BODY_VALUES = 100_000;
const MAX_BODY_DEPTH = 100;
const TOO_MANY = `The body holds more than ${MAX_BODY_VALUES} values; send less at once.`;
const TOO_DEEP = `The body cannot be stored: it is nested more than ${MAX_BODY_DEPTH} levels deep.`;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The meaning of each byte outside of texts. Bytes that do not matter for the count are 0. */
const MEANING = new Uint8Array(256);
const TEXT = 1;
const NEXT = 2;
const OPENING = 3;
const CLOSING = 4;
MEANING[QUOTE] = TEXT;
MEANING[0x2c] = NEXT;
for (const bracket of [0x5b, 0x7b]) MEANING[bracket] = OPENING;
for (const bracket of [0x5d, 0x7d]) MEANING[bracket] = CLOSING;

export function requireFewValues(body: Uint8Array): void {
  // A body this short can exceed neither bound: each value takes at least one byte, each level two brackets.
  if (body.length < MAX_BODY_VALUES && body.length < 2 * MAX_BODY_DEPTH) return;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    const meaning = MEANING[body[at] as number];
    if (meaning === 0) continue;
    if (meaning === TEXT) at = endOfText(body, at);
    else if (meaning === CLOSING) depth -= 1;
    else {
      values += 1;
      if (meaning === OPENING) depth += 1;
      if (depth > MAX_BODY_DEPTH) throw new BatonError('validation_error', TOO_DEEP);
      if (values > MAX_BODY_VALUES) throw new BatonError('payload_too_large', TOO_MANY);
    }
  }
}

/** The index of the quote that ends the text which begins at `start`. */
function endOfText(body: Uint8Array, start: number): number {
  for (let at = body.indexOf(QUOTE, start + 1); at !== -1; at = body.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (body[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return body.length;
}
