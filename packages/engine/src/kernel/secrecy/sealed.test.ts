import { describe, expect, it } from 'vitest';
import { sealerOf } from '../../driver/secrecy/sealing.ts';
import { hideSealed, hideText, isSealed, replaceTokens, unhide } from './sealed.ts';

const sealer = sealerOf(new Uint8Array(32).fill(1));
const token = sealer.seal('acme', 'card', '4111 1111 1111 1111');

describe('a token', () => {
  it('names what it stands for and shows nothing of it', () => {
    expect(token).toMatch(/^sealed:v1:card:[\w-]+$/);
    expect(Buffer.from(token.split(':')[3] ?? '', 'base64url').toString('latin1')).not.toContain('4111');
  });

  it.each([['text'], [42], [true], [null], [{ a: [1, 'é'] }], ['']])('opens to %o', (value) => {
    expect(sealer.unseal('acme', sealer.seal('acme', 'any:name é', value))).toEqual(value);
  });

  it('is the same for the same tenant, name and value, and for no others', () => {
    expect(sealer.seal('acme', 'card', '4111 1111 1111 1111')).toBe(token);
    const others = [
      sealer.seal('acme', 'card', '4111 1111 1111 1112'),
      sealer.seal('acme', 'other', '4111 1111 1111 1111'),
      sealer.seal('globex', 'card', '4111 1111 1111 1111'),
      sealerOf(new Uint8Array(32).fill(2)).seal('acme', 'card', '4111 1111 1111 1111'),
    ];
    expect(new Set([token, ...others]).size).toBe(5);
  });

  it('cannot be made up, changed, renamed or taken to another tenant', () => {
    const last = token.at(-3) === 'A' ? 'B' : 'A';
    const forged = [
      `${token.slice(0, -3)}${last}${token.slice(-2)}`,
      token.replace(':card:', ':name:'),
      'sealed:v1:card:AAAA',
      'sealed:v1:card:AAAEAAAA',
      'sealed:v1:card:',
    ];
    for (const one of forged) expect(sealer.unseal('acme', one)).toBeUndefined();
    expect(sealer.unseal('globex', token)).toBeUndefined();
  });
});

describe('isSealed', () => {
  it.each([
    ['a token', token, true],
    ['a token in a text', `Bearer ${token}`, false],
    ['two tokens', `${token} ${token}`, false],
    ['a text that only begins like one', 'sealed:v1:card', false],
    ['a number', 4111, false],
  ])('%s: %s', (_what, value, expected) => {
    expect(isSealed(value)).toBe(expected);
  });
});

it('finds where a token ends, whatever follows it', () => {
  const found: string[] = [];
  const text = replaceTokens(`a${token}b-_9${token}${token}`, (one) => {
    found.push(one);
    return '#';
  });
  expect(text).toBe('a#b-_9##');
  expect(found).toEqual([token, token, token]);
});

describe('readers', () => {
  it('see [REDACTED] in place of every token', () => {
    expect(hideText(`Bearer ${token}!`)).toBe('Bearer [REDACTED]!');
    expect(hideSealed({ a: [token, 1], [token]: { b: `x${token}` } })).toEqual({
      a: ['[REDACTED]', 1],
      '[REDACTED]': { b: 'x[REDACTED]' },
    });
  });

  it('get the very value when nothing in it is sealed', () => {
    const value = { a: [{ b: 'c' }] };
    expect(hideSealed(value)).toBe(value);
  });

  it('give back what was hidden from them', () => {
    const shown = { card: token, note: `paid with ${token}`, list: [token], text: 'old' };
    const edited = { card: '[REDACTED]', note: 'paid with [REDACTED]', list: ['[REDACTED]'], text: 'new' };
    expect(unhide(edited, shown)).toEqual({ ...shown, text: 'new' });
    expect(unhide({ elsewhere: '[REDACTED]' }, shown)).toEqual({ elsewhere: '[REDACTED]' });
  });
});
