import { expect, it } from 'vitest';
import { publishedTo } from './published.ts';

const acme = { name: 'acme', url: 'https://acme.example', publishes: ['translate', 'local.acme.writer'] };

it('is nothing unless the operator has published something', () => {
  expect(publishedTo({}, {})).toEqual(new Set());
  expect(publishedTo({ peer: { ...acme, publishes: [] } }, { publish: [] })).toEqual(new Set());
});

it('is for a peer what everybody may use, and what was published to this peer alone', () => {
  const settings = { publish: ['greet', 'translate'] };
  expect(publishedTo({}, settings)).toEqual(new Set(['greet', 'translate']));
  expect(publishedTo({ peer: acme }, settings)).toEqual(new Set(['greet', 'translate', 'local.acme.writer']));
});
