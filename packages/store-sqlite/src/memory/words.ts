import { phrasesIn } from '@baton/engine/ports';
import { isShared } from './scopes.ts';

/**
 * Entries of a private memory scope up to this version are not in the index. A search reads their contents.
 */
export const LOOKED_THROUGH = 64;

/** A version with more rows than this is always indexed, so that a search never reads very many rows. */
const ROWS_LOOKED_THROUGH = 8;

/** Whether rows are added to the index. Most private memory scopes stay so small that they need no index. */
export function isIndexed(scope: string, version: number, rows: number): boolean {
  return isShared(scope) || version > LOOKED_THROUGH || rows > ROWS_LOOKED_THROUGH;
}

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
