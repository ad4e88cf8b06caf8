import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { extendChain, FIRST_LINK, sha256Hex } from './event-chain.ts';

const node = (text: string) => createHash('sha256').update(text).digest('hex');

it('gives the digest that every platform gives, also beyond ASCII', () => {
  for (const text of ['', 'a', 'Grüße, 世界 🦉', 'x'.repeat(10_000)])
    expect(sha256Hex(text)).toBe(node(text));
});

it('links each event to the one before', () => {
  const first = node('one');
  expect(extendChain(FIRST_LINK, ['one'])).toBe(first);
  expect(extendChain(FIRST_LINK, ['one', 'two'])).toBe(node(`${first}two`));
  expect(extendChain(first, ['two'])).toBe(node(`${first}two`));
  expect(extendChain(first, [])).toBe(first);
});

it('does not depend on whose digest is used', () => {
  const texts = ['{"a":1}', '{"b":"ü"}'];
  expect(extendChain(FIRST_LINK, texts, node)).toBe(extendChain(FIRST_LINK, texts));
});

it.each([
  ['changed', ['a', 'x', 'c']],
  ['left out', ['a', 'c']],
  ['moved', ['b', 'a', 'c']],
  ['added', ['a', 'b', 'b', 'c']],
])('is another chain when an event is %s', (_how, texts) => {
  expect(extendChain(FIRST_LINK, texts)).not.toBe(extendChain(FIRST_LINK, ['a', 'b', 'c']));
});
