import { isJsonObject, type Json, type JsonObject, MIN_SECRET_CHARACTERS } from '@baton/protocol';
import { type Needle, replacing } from './needles.ts';
import { spellingsOf } from './spellings.ts';

/** Removes the secrets of a tenant from everything that is recorded or sent. */
export interface Redactor {
  /** How many characters at the end of the text may be the beginning of a secret. */
  openEnd(text: string): number;
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
  const redactText = replacing([...needles.values()]);

  function redact(value: Json): Json {
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(entries.map(([name, member]) => [redactText(name), redact(member)]));
  }

  const spellings = [...needles.keys()];
  const longest = Math.max(...spellings.map((text) => text.length));

  function openEnd(text: string): number {
    for (let from = Math.max(0, text.length - longest + 1); from < text.length; from += 1) {
      const end = text.slice(from);
      if (spellings.some((spelling) => spelling.startsWith(end))) return end.length;
    }
    return 0;
  }

  return {
    openEnd,
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
