import { expect, it } from 'vitest';
import { phrasesIn, wordsIn, wordsMatcher } from './words.ts';

it.each([
  ['', []],
  ['— …', []],
  ['Plain WORDS, 2', ['plain', 'words', '2']],
  ['été', ['ete']],
  ['e\u0301te\u0301', ['ete']],
  ['ὈΔΥΣΣΕΎΣ', ['ὀδυσσεύσ']],
  ['İstanbul ıssız', ['istanbul', 'ıssız']],
  ['nul\u0000nul', ['nul', 'nul']],
])('finds the words of "%s"', (text, words) => {
  expect(wordsIn(text)).toEqual(words);
});

it.each([
  ['two words', ['two', 'words']],
  ['a-b c', ['a-b', 'c']],
  [' — x', ['x']],
  ['a\u0000b', ['a', 'b']],
  ['!', []],
])('takes "%s" apart into phrases', (text, phrases) => {
  expect(phrasesIn(text)).toEqual(phrases);
});

it.each([
  ['b a', 'a b', true],
  ['a-b', 'x a, B', true],
  ['a-b', 'b a', false],
  ['wor', 'words', false],
  ['x', 'y', false],
  ['!', 'anything', true],
])('looks for "%s" in "%s"', (text, content, found) => {
  expect(wordsMatcher(text)(content)).toBe(found);
});
