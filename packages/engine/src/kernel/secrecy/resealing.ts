import { isJsonObject, type Json } from '@baton/protocol';
import { partsOf, replaceTokens } from './sealed.ts';
import { type Seal, sealOnce } from './sensitivity.ts';

/**
 * An edited value in which everything that stands where something was sealed is sealed again, under the same name.
 * What was left as it was is the token already. A value of another shape than the one that was shown is sealed as a
 * whole, because it cannot be said which of its parts took the place of the sealed one.
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

/** A text that still holds what was sealed in it had its other parts edited. */
function mentionsTokens(given: Json): boolean {
  return typeof given === 'string' && replaceTokens(given, () => '') !== given;
}

/** The name under which the first sealed value in a value was sealed; nothing where there is none. */
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
