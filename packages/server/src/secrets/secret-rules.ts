import { isHostWord, SHORTEST_SECRET } from '@baton/engine';

/**
 * The reason why a value cannot be a secret, as the end of a sentence, or `undefined`. The reason never repeats
 * the value.
 */
export function problemWithSecret(tenant: string, id: string, value: string): string | undefined {
  if (value.length < SHORTEST_SECRET) {
    return `has fewer than ${SHORTEST_SECRET} characters; a shorter one would blank out ordinary text`;
  }
  if (!Number.isNaN(Number(value))) return 'is a number; it would blank out ordinary numbers';
  if (isHostWord(value) || tenant.includes(value)) {
    return 'is a word that the host itself writes; redacting it would make its logs unreadable';
  }
  if (id.includes(value)) return 'is a part of its own name, which is shown in place of the value';
  return undefined;
}
