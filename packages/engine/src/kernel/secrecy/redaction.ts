import { isJsonObject, type Json, type JsonObject, MIN_SECRET_CHARACTERS } from '@baton/protocol';
import { type Match, type Needle, type Search, searchFor } from './needles.ts';
import { spellingsOf } from './spellings.ts';

/** Removes the secrets of a tenant from everything that is recorded or sent. */
export interface Redactor {
  /**
   * How many characters at the beginning of the text can be redacted and sent before the rest is known: the
   * others belong to a secret, or may be the beginning of a secret that goes on.
   */
  safeLength(text: string): number;
  /**
   * Replaces every secret in the text, in any spelling, by `[REDACTED:<id>]`. A text without secrets is
   * returned unchanged.
   */
  redactText(text: string): string;
  /** Does the same for all texts and names in a value. A value without secrets is returned unchanged. */
  redactJson<T extends Json>(value: T): T;
}

/** Shorter secrets would match ordinary text. */
export const SHORTEST_SECRET = MIN_SECRET_CHARACTERS;

function redactedLabel(id: string): string {
  return `[REDACTED:${id}]`;
}

/** `undefined` when there are no secrets, so that tenants without secrets have no extra work. */
export function redactorOf(
  secrets: Iterable<readonly [id: string, value: string]>,
  labelOf: (id: string) => string = redactedLabel,
): Redactor | undefined {
  const needles = new Map<string, Needle>();
  for (const [id, value] of secrets) {
    for (const text of spellingsOf(value)) {
      if (!needles.has(text)) needles.set(text, { text, label: labelOf(id) });
    }
  }
  if (needles.size === 0) return undefined;
  const { matches, openEnd } = searchWithEscapes([...needles.values()]);

  function redactText(text: string): string {
    let redacted = '';
    let copied = 0;
    for (const { from, to, label } of matches(text)) {
      redacted += text.slice(copied, from) + label;
      copied = to;
    }
    return copied === 0 ? text : redacted + text.slice(copied);
  }

  function safeLength(text: string): number {
    const cut = text.length - openEnd(text);
    return matches(text).find(({ from, to }) => from < cut && cut < to)?.from ?? cut;
  }

  function redact(value: Json): Json {
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(entries.map(([name, member]) => [redactText(name), redact(member)]));
  }

  return {
    safeLength,
    redactText,
    redactJson: <T extends Json>(value: T) => {
      // One search in the whole text is cheaper than one in each part.
      const text = JSON.stringify(value);
      return redactText(text) === text ? value : (redact(value) as T);
    },
  };
}

/** These members are also in the envelope or in the index. The fold needs them unchanged. */
const KEPT = ['nodeId', 'owner'] as const;

/**
 * The payload of an event and its text, both without secrets. The text is only used to see whether it holds a
 * secret: a replacement in it could cut an escape sequence.
 */
export function redactPayload(
  redactor: Redactor,
  payload: JsonObject,
  text: string,
): { readonly payload: JsonObject; readonly text: string } {
  if (redactor.redactText(text) === text) return { payload, text };
  const redacted: Record<string, Json> = { ...redactor.redactJson(payload) };
  for (const name of KEPT) {
    const kept = payload[name];
    if (kept !== undefined) redacted[name] = kept;
  }
  return { payload: redacted, text: JSON.stringify(redacted) };
}

/**
 * Searches a text as it is, and once more without its escapes if it has some. Most texts have none, so most texts
 * are searched once.
 */
function searchWithEscapes(needles: readonly Needle[]): Search {
  const plain = searchFor(needles);
  const bare = new Map(needles.map(({ text, label }) => [unescaped(text).text, label]));
  const inner = searchFor([...bare].map(([text, label]) => ({ text, label })));

  return {
    matches(text) {
      const found = plain.matches(text);
      if (!text.includes('\\u')) return found;
      const without = unescaped(text);
      const more = inner
        .matches(without.text)
        .map(({ from, to, label }) => ({ from: without.at(from), to: without.at(to), label }));
      return more.length === 0 ? found : joined([...found, ...more]);
    },
    openEnd(text) {
      const open = plain.openEnd(text);
      if (!text.includes('\\')) return open;
      const without = unescaped(text);
      const begin = without.at(without.text.length - inner.openEnd(without.text));
      return Math.max(open, text.length - begin);
    },
  };
}

/** Matches that overlap become one match, with the label of the longest. */
function joined(matches: readonly Match[]): readonly Match[] {
  const found: Match[] = [];
  let length = 0;
  for (const match of matches.toSorted((one, other) => one.from - other.from)) {
    const size = match.to - match.from;
    const before = found.at(-1);
    if (before === undefined || match.from >= before.to) {
      found.push(match);
      length = size;
      continue;
    }
    const label = size > length ? match.label : before.label;
    found[found.length - 1] = { from: before.from, to: Math.max(match.to, before.to), label };
    length = Math.max(size, length);
  }
  return found;
}

interface Unescaped {
  readonly text: string;
  /** Where the character with this index begins in the given text. The end of the text counts as a character. */
  at(index: number): number;
}

const BACKSLASH = '\\';
const HEX = /^[0-9a-fA-F]{4}$/;

/**
 * Programs choose which characters of a JSON text they escape: `+` is `\u002B` for some and `+` for others, and an
 * escape has upper-case or lower-case digits. A text without escapes can be searched for all of these.
 *
 * Replaces each `\uXXXX` by its character, and `\"` and `\/` by the second character, also where JSON is nested in
 * JSON and has more backslashes. Other escapes stay. An escape at the end of the text that may go on is left out.
 */
function unescaped(given: string): Unescaped {
  const begins: number[] = [];
  let text = '';
  const keep = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) begins.push(at);
    text += given.slice(from, to);
  };
  let from = 0;
  for (;;) {
    const begin = given.indexOf(BACKSLASH, from);
    if (begin === -1) break;
    keep(from, begin);
    let end = begin + 1;
    while (given[end] === BACKSLASH) end += 1;
    const code = given.slice(end + 1, end + 5);
    if (end === given.length || (given[end] === 'u' && code.length < 4 && end + 5 > given.length)) {
      from = begin;
      return { text, at: (index) => begins[index] ?? from };
    }
    if (given[end] === 'u' && HEX.test(code)) {
      begins.push(begin);
      text += String.fromCharCode(Number.parseInt(code, 16));
      from = end + 5;
    } else if (given[end] === '"' || given[end] === '/') {
      begins.push(begin);
      text += given[end];
      from = end + 1;
    } else {
      keep(begin, end);
      from = end;
    }
  }
  keep(from, given.length);
  return { text, at: (index) => begins[index] ?? given.length };
}
