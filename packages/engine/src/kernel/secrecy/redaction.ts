import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';
import { type Needle, replacing } from './needles.ts';
import { spellingsOf } from './spellings.ts';

/** Takes the secrets of a tenant out of whatever is about to be recorded or told. */
export interface Redactor {
  /** Every secret in the text, in any spelling, becomes `[REDACTED:<id>]`. The same text when there is none. */
  redactText(text: string): string;
  /** The same for all texts and names in a value. The same value when there is nothing to redact. */
  redactJson<T extends Json>(value: T): T;
}

/** Shorter ones are part of ordinary text. */
export const SHORTEST_SECRET = 8;

export function redactedLabel(id: string): string {
  return `[REDACTED:${id}]`;
}

/** Nothing to look for is no redactor, so that whoever has no secrets pays nothing. */
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

  return {
    redactText,
    redactJson: <T extends Json>(value: T) => {
      // One look at the whole text is cheaper than one at each part of it.
      const text = JSON.stringify(value);
      return redactText(text) === text ? value : (redact(value) as T);
    },
  };
}

/** Names that the envelope and the index hold as well: a fold that knew them otherwise would lose its way. */
const KEPT = ['nodeId', 'owner'] as const;

/**
 * The payload of an event with its text, both without secrets. The text only shows whether there is anything
 * to do: a replacement in it could cut an escape in half.
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
