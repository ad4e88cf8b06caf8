import { BatonError } from './errors.ts';
import { isJsonObject, type Json } from './json.ts';

/**
 * Text that UTF-8 can hold. A JavaScript string may contain half of a character: a lone surrogate, for
 * example after an emoji was cut in two. Files, databases and digests cannot hold it. A request with such
 * text is refused, and the error names the field. If a run produces such text (the answer of a model, the
 * outcome of an effect, an expression), U+FFFD is recorded instead.
 */

/** JSON text holds half of a character only as an escape (`\ud…`). False means that the text has none. */
export function mayBeIllFormed(json: string): boolean {
  return json.includes('\\ud') || json.includes('\\uD');
}

/** The path to the first text or name that is not well-formed, or undefined. */
export function illFormedAt(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name.toWellFormed() : `${path}.${name.toWellFormed()}`;
    if (!name.isWellFormed()) return at;
    const found = illFormedAt(member, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value with U+FFFD for each half of a character; the same object if there is none. */
export function wellFormed<T>(value: T): T {
  return illFormedAt(value) === undefined ? value : (replaced(value as Json) as T);
}

function replaced(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(replaced);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), replaced(member)]),
  );
}

/** Refuses a value from outside that has half of a character. The error names the field. */
export function requireWellFormed(value: unknown, what: string): void {
  const field = illFormedAt(value);
  if (field === undefined) return;
  const where = field === '' ? what : `${what}: ${field}`;
  const problem = 'holds half of a character (a lone surrogate); send whole characters';
  throw new BatonError('validation_error', `${where} ${problem}`, { field, problem });
}
