import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Redactor, redactorOf } from '../../kernel/secrecy/redaction.ts';
import { redactedChunks } from './redacted-chunks.ts';

const SECRETS: readonly (readonly [string, string])[] = [
  ['key', 'sk-12345678'],
  ['pass', '12345678-90'],
];
const redactor = redactorOf(SECRETS) as Redactor;

function told(chunks: readonly string[]): readonly string[] {
  const heard: string[] = [];
  const { add, end } = redactedChunks(
    () => redactor,
    (chunk) => void heard.push(chunk),
  );
  for (const chunk of chunks) add(chunk);
  end();
  return heard;
}

it('finds a secret that comes in parts', () => {
  expect(told([...'My key is sk-12345678, keep it.']).join('')).toBe('My key is [REDACTED:key], keep it.');
});

it('tells the beginning of a long text before it is complete', () => {
  const heard: string[] = [];
  redactedChunks(
    () => redactor,
    (chunk) => void heard.push(chunk),
  ).add('word '.repeat(100));
  expect(heard.join('').length).toBeGreaterThan(300);
});

it('says the same as of the whole text, wherever the parts end', () => {
  const part = fc.constantFrom('sk-', '12345678', '-90', 'a', ' ', 'sk-1234', '5678');
  const parts = fc.array(part, { maxLength: 20 });
  fc.assert(
    fc.property(parts, fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }), (words, cuts) => {
      const text = words.join('');
      const chunks: string[] = [];
      for (let at = 0, n = 0; at < text.length; n += 1) {
        const length = 1 + (cuts[n % cuts.length] ?? 0);
        chunks.push(text.slice(at, at + length));
        at += length;
      }
      expect(told(chunks).join('')).toBe(redactor.redactText(text));
    }),
  );
});

it('does not hold back more and more of a text in which secrets overlap without end', () => {
  const repeating = redactorOf([['odd', 'abababab']]) as Redactor;
  const heard: string[] = [];
  const { add, end } = redactedChunks(
    () => repeating,
    (chunk) => void heard.push(chunk),
  );
  for (let i = 0; i < 3; i += 1) add('ab'.repeat(100_000));
  expect(heard).toEqual(['[REDACTED]']);
  add('!');
  end();
  expect(heard.join('')).toBe('[REDACTED][REDACTED:odd]!');
});

it('redacts a secret that is set while the text arrives', () => {
  let present: Redactor | undefined;
  const heard: string[] = [];
  const { add, end } = redactedChunks(
    () => present,
    (chunk) => void heard.push(chunk),
  );
  add('sk-12345678 ');
  present = redactor;
  add('sk-1234');
  add('5678');
  end();
  expect(heard.join('')).toBe('sk-12345678 [REDACTED:key]');
});
