import { isJsonObject, type Json, type JsonObject, MIN_SECRET_CHARACTERS } from '@baton/protocol';
import type { Needle } from './needles.ts';
import { searchWithEscapes } from './search-with-escapes.ts';
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
