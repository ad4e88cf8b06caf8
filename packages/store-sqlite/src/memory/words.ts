/** What the tokenizer of the index takes for a part of a word. */
const IN_WORDS = /[\p{L}\p{N}\p{Co}]/u;

/**
 * The full-text query for entries of one scope that have all of these words, or undefined when there are no words.
 * Every word is quoted, so that nothing in it is taken for an operator.
 */
export function wordsQuery(scopeNo: number, text: string): string | undefined {
  // A query ends at its first null character, whatever is quoted.
  const words = text.split(/[\s\0]+/u).filter((word) => IN_WORDS.test(word));
  if (words.length === 0) return undefined;
  const quoted = words.map((word) => `content : "${word.replaceAll('"', '""')}"`);
  return `scope_no : "${scopeNo}" ${quoted.join(' ')}`;
}
