import { BatonError } from './errors.ts';
import { isJsonObject, type Json } from './json.ts';

/**
 * Text that UTF-8 can hold. A JavaScript string may contain half of a character (a lone surrogate, which is left
 * where an emoji was cut in two), and no file, no database and no digest has a place for it. The rule is one for all
 * values: where somebody outside sends such text it is refused with the name of the field, and where a run brings
 * it about (the answer of a model, the outcome of an effect, an expression) U+FFFD is recorded in its place.
 */

/** In JSON text half of a character can only stand as an escape. False says that there is none; true that one may be. */
export function mayBeIllFormed(json: string): boolean {
  return json.includes('\\ud') || json.includes('\\uD');
}

/** The path to the first text or name that is not well-formed; nothing where there is none. */
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

/** The value with U+FFFD for each half of a character. The same value where there is none. */
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

/** Refuses a value that came from outside, and says where the text is that cannot be kept. */
export function requireWellFormed(value: unknown, what: string): void {
  const field = illFormedAt(value);
  if (field === undefined) return;
  const where = field === '' ? what : `${what}: ${field}`;
  const problem = 'holds half of a character (a lone surrogate); send whole characters';
  throw new BatonError('validation_error', `${where} ${problem}`, { field, problem });
}
