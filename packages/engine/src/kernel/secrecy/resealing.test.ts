import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { reseal } from './resealing.ts';
import { isSealed, tokenOf } from './sealed.ts';

const TOKEN = tokenOf('card', 'abcdefgh');
const seal = (name: string, value: Json) =>
  tokenOf(name, Buffer.from(JSON.stringify(value)).toString('base64url'));

describe('an edit of what was sealed', () => {
  it.each<[string, Json, Json]>([
    ['a text', TOKEN, 'typed'],
    ['another kind of value', TOKEN, { number: 4111 }],
    ['a text around it', `pay with ${TOKEN}`, 'pay with typed'],
    ['a list in the place of an object', { card: TOKEN }, ['typed']],
    ['a text in the place of a list', [TOKEN], 'typed'],
  ])('is sealed again: %s', (_what, shown, given) => {
    expect(isSealed(reseal(given, shown, seal))).toBe(true);
  });

  it('is sealed where it stands, and nothing else is', () => {
    const shown = { card: TOKEN, note: 'open', list: [TOKEN, 'open'] };
    const given = { card: 'typed', note: 'changed', list: ['typed', 'changed', 'added'], more: 'new' };
    expect(reseal(given, shown, seal)).toEqual({
      card: seal('card', 'typed'),
      note: 'changed',
      list: [seal('card', 'typed'), 'changed', seal('card', 'added')],
      more: 'new',
    });
  });

  it.each<[string, Json, Json]>([
    ['what was left alone', { card: TOKEN }, { card: TOKEN }],
    ['a text that still holds it', `pay with ${TOKEN}`, `please pay with ${TOKEN}`],
    ['what was open', { note: 'open' }, { note: 'typed' }],
  ])('stays as it is: %s', (_what, shown, given) => {
    expect(reseal(given, shown, seal)).toEqual(given);
  });

  it('survives a text that only looks sealed', () => {
    expect(isSealed(reseal('typed', 'sealed:v1:%zz:AAAA', seal))).toBe(true);
  });
});
