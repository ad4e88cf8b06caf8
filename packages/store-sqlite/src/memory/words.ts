import { phrasesIn } from '@baton/engine/ports';

/**
 * The full-text query for entries of one memory scope that have all of these words, or undefined if there are
 * no words. Every word is quoted, so that FTS5 does not read it as an operator.
 */
export function wordsQuery(scopeNo: number, text: string): string | undefined {
  const phrases = phrasesIn(text);
  if (phrases.length === 0) return undefined;
  const quoted = phrases.map((phrase) => `content : "${phrase.replaceAll('"', '""')}"`);
  return `scope_no : "${scopeNo}" ${quoted.join(' ')}`;
}
