import { isJsonObject, type Json } from '@baton/protocol';
import { partsOf, replaceTokens } from './sealed.ts';
import { type Seal, sealOnce } from './sensitivity.ts';

/**
 * Seals the parts of an edited value that replace sealed values, with the same names. Parts that were not
 * edited are still tokens. A value with another shape than the shown one is sealed as a whole, because it is
 * unclear which of its parts replaces the sealed one.
 */
export function reseal(given: Json, shown: Json | undefined, seal: Seal): Json {
  const name = sealedNameIn(shown);
  if (name === undefined || shown === undefined) return given;
  if (typeof shown === 'string') return mentionsTokens(given) ? given : sealOnce(seal, name, given);
  if (Array.isArray(shown)) {
    if (!Array.isArray(given)) return sealOnce(seal, name, given);
    return given.map((item: Json, at) =>
      at < shown.length ? reseal(item, shown[at], seal) : sealOnce(seal, name, item),
    );
  }
  if (!isJsonObject(given) || !isJsonObject(shown)) return sealOnce(seal, name, given);
  return Object.fromEntries(
    Object.entries(given).map(([member, value]) => [
      member,
      Object.hasOwn(shown, member) ? reseal(value, shown[member], seal) : value,
    ]),
  );
}

/** True for a text that still holds a token. Then only its other parts were edited. */
function mentionsTokens(given: Json): boolean {
  return typeof given === 'string' && replaceTokens(given, () => '') !== given;
}

/** The name of the first sealed value in a value. `undefined` when there is none. */
function sealedNameIn(shown: Json | undefined): string | undefined {
  if (typeof shown === 'string') {
    let found: string | undefined;
    replaceTokens(shown, (token) => {
      found ??= partsOf(token).label;
      return token;
    });
    return found;
  }
  const parts = Array.isArray(shown) ? shown : isJsonObject(shown) ? Object.values(shown) : [];
  for (const part of parts) {
    const found = sealedNameIn(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
