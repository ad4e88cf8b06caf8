import { isJsonObject, type Json } from '@baton/protocol';
import { type Redactor, redactorOf } from '../../kernel/secrecy/redaction.ts';
import { HIDDEN, isSealed, replaceTokens } from '../../kernel/secrecy/sealed.ts';
import type { EffectContext, EffectOutcome, Effects } from '../../ports/effects.ts';
import { redactedChunks } from './redacted-chunks.ts';
import type { Sealer } from './sealing.ts';

/**
 * The only place where sealed values are opened: right before a call to the outside. The outcome is searched
 * for the opened values, since services often repeat a request, for example in an error message.
 */
export function withUnsealedRequests(effects: Effects, sealer: Sealer): Effects {
  return {
    async perform(effect, context) {
      const opened = new Map<string, Json>();
      const request = unseal(effect.request, (token) => {
        const value = sealer.unseal(effect.tenant, token);
        if (value !== undefined) opened.set(token, value);
        return value;
      });
      if (opened.size === 0) return effects.perform(effect, context);
      const secrets = telling(opened);
      const chunks = redactedChunks(
        () => secrets.redactor,
        (chunk) => context.progress(chunk),
      );
      const progress: EffectContext['progress'] = (chunk, _isLast, of) => {
        // Reasoning that may repeat opened values is not told.
        if (of === undefined) chunks.add(chunk);
      };
      const outcome = await effects.perform({ ...effect, request }, { ...context, progress });
      chunks.end();
      return sealAgain(outcome, secrets);
    },
  };
}

type Open = (token: string) => Json | undefined;

/**
 * Opens all tokens in a value. A token that cannot be opened stays. A sealed value may contain further
 * tokens.
 */
function unseal(value: Json, open: Open): Json {
  if (typeof value === 'string') {
    if (!isSealed(value)) return replaceTokens(value, (token) => textOf(openAll(token, open)) ?? token);
    return openAll(value, open) ?? value;
  }
  if (Array.isArray(value)) return value.map((item: Json) => unseal(item, open));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unseal(member, open)]));
}

function openAll(token: string, open: Open): Json | undefined {
  const value = open(token);
  return value === undefined ? undefined : unseal(value, open);
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}

/** Shorter values are not searched for, because they occur in ordinary text. */
const SHORTEST_TELLING = 4;

/**
 * Replaces an opened value in the outcome: a whole value by its token, a part of a longer text by `HIDDEN`.
 */
function sealAgain(outcome: EffectOutcome, { whole, redactor }: Telling): EffectOutcome {
  const sealed = <T>(value: T): T =>
    again(value as Json, whole, (text) => redactor?.redactText(text) ?? text) as T;
  if (outcome.kind === 'failed') {
    const { code, message, details } = outcome.error;
    const error = { code, message: sealed(message), ...(details && { details: sealed(details) }) };
    return { ...outcome, error };
  }
  const { kind, ...brought } = outcome;
  const members = Object.entries(brought).map(([name, member]) => [name, sealed(member)]);
  return { kind, ...Object.fromEntries(members) };
}

/** The opened values that an outcome must not show. */
interface Telling {
  /** Whole values, with the token or the placeholder that replaces each. */
  readonly whole: ReadonlyMap<Json, string>;
  /** Finds them within longer texts. */
  readonly redactor: Redactor | undefined;
}

function telling(opened: ReadonlyMap<string, Json>): Telling {
  const whole = new Map<Json, string>();
  const parts: [token: string, text: string][] = [];
  for (const [token, value] of opened) {
    for (const leaf of leavesOf(value)) {
      const text = String(leaf);
      if (text.length < SHORTEST_TELLING) continue;
      whole.set(leaf, leaf === value ? token : HIDDEN);
      parts.push([token, text]);
    }
  }
  return { whole, redactor: redactorOf(parts, () => HIDDEN) };
}

function leavesOf(value: Json): readonly (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return isJsonObject(value) ? Object.values(value).flatMap(leavesOf) : [];
}

function again(value: Json, whole: ReadonlyMap<Json, string>, redact: (text: string) => string): Json {
  const token = whole.get(value);
  if (token !== undefined) return token;
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item: Json) => again(item, whole, redact));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(name), again(member, whole, redact)]),
  );
}
