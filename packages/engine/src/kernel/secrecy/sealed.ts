import { isJsonObject, type Json } from '@baton/protocol';
import { wellFormed } from './spellings.ts';

/**
 * Sealed values: the token `sealed:v1:<name>:<base64url>` replaces a value that must not be seen. The letters
 * begin with their own count, so that the end of a token is known wherever an expression has put it.
 */

const PREFIX = 'sealed:v1:';
const SIZE_LETTERS = 4;
const BEGINNING = /sealed:v1:[\w.!~*'()%-]*:([\w-]{4})/g;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export const HIDDEN = '[REDACTED]';

export function tokenOf(name: string, letters: string): string {
  let size = '';
  for (let rest = letters.length; size.length < SIZE_LETTERS; rest = Math.floor(rest / 64)) {
    size = LETTERS.charAt(rest % 64) + size;
  }
  return `${PREFIX}${labelOf(name)}:${size}${letters}`;
}

/** The form of a name in a token. */
export function labelOf(name: string): string {
  return encodeURIComponent(wellFormed(name));
}

export function partsOf(token: string): { readonly label: string; readonly letters: string } {
  const [label = '', letters = ''] = token.slice(PREFIX.length).split(':');
  return { label, letters: letters.slice(SIZE_LETTERS) };
}

/** The name of a sealed value, in the form of its token. */
export function sealedName(token: string): string {
  return partsOf(token).label;
}

export function isSealed(value: Json | undefined): value is string {
  if (typeof value !== 'string' || !value.startsWith(PREFIX)) return false;
  return replaceTokens(value, (token) => (token === value ? '' : token)) === '';
}

/** Replaces every token in a text. */
export function replaceTokens(text: string, instead: (token: string) => string): string {
  if (!text.includes(PREFIX)) return text;
  let result = '';
  let copied = 0;
  for (const { 0: beginning, 1: size = '', index } of text.matchAll(BEGINNING)) {
    const first = index + beginning.length;
    const end = first + sizeOf(size);
    if (end > text.length || /[^\w-]/.test(text.slice(first, end))) continue;
    result += text.slice(copied, index) + instead(text.slice(index, end));
    copied = end;
  }
  return result + text.slice(copied);
}

function sizeOf(letters: string): number {
  let size = 0;
  for (const letter of letters) size = size * 64 + LETTERS.indexOf(letter);
  return size;
}

export function hideText(text: string): string {
  return replaceTokens(text, () => HIDDEN);
}

/** The value as readers see it. A value without tokens is returned unchanged. */
export function hideSealed<T>(value: T): T {
  return hide(value as Json) as T;
}

function hide(value: Json): Json {
  if (typeof value === 'string') return hideText(value);
  if (Array.isArray(value)) {
    const items = value.map(hide);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  let hidden: Record<string, Json> | undefined;
  for (const name of Object.keys(value)) {
    const member = value[name] as Json;
    const shown = hide(member);
    const shownName = hideText(name);
    if (shown === member && shownName === name) continue;
    hidden ??= { ...value };
    if (shownName !== name) delete hidden[name];
    hidden[shownName] = shown;
  }
  return hidden ?? value;
}

/** Puts back the values that were hidden from a person, where the placeholder came back unchanged. */
export function unhide(given: Json, shown: Json | undefined): Json {
  if (typeof given === 'string') {
    return typeof shown === 'string' && hideText(shown) === given ? shown : given;
  }
  if (Array.isArray(given)) {
    return Array.isArray(shown) ? given.map((item: Json, at) => unhide(item, shown[at])) : given;
  }
  if (!isJsonObject(given) || !isJsonObject(shown)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, member]) => [
      name,
      Object.hasOwn(shown, name) ? unhide(member, shown[name]) : member,
    ]),
  );
}
