import type { SharedV3Warning } from '@ai-sdk/provider';

const MAX_NOTES = 20;
const MAX_CHARACTERS = 200;

/**
 * What a provider package did differently from the request. Only the first sentence is taken: some packages
 * append parts of the request to their words.
 */
export function notesOf(warnings: readonly SharedV3Warning[]): string[] {
  return [...new Set(warnings.map(noteOf))].slice(0, MAX_NOTES);
}

function noteOf(warning: SharedV3Warning): string {
  if (warning.type === 'other') return firstSentence(warning.message);
  const difference = warning.type === 'unsupported' ? 'is not supported' : 'is used in a compatibility mode';
  const details = warning.details === undefined ? '' : ` ${firstSentence(warning.details)}`;
  return `${warning.feature.slice(0, 64)} ${difference}.${details}`;
}

function firstSentence(text: string): string {
  const [sentence = ''] = text.split(/(?<=\.)\s|[:\n]/, 1);
  return sentence.slice(0, MAX_CHARACTERS);
}
