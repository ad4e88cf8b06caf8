import { expect, it } from 'vitest';
import { cookieIn, cookieText } from './cookies.ts';

it.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['a', undefined],
  ['=b', undefined],
  ['a=b', 'b'],
  ['x=1; a=b; y=2', 'b'],
  ['x=1;a=b', 'b'],
  ['xa=1; a=b=c', 'b=c'],
  ['A=b', undefined],
  // Another page of the same machine may have set one of them.
  ['a=b; a=c', undefined],
  ['a=b; a=b', undefined],
])('the cookie "a" in %j is %j', (header, value) => {
  expect(cookieIn(header, 'a')).toBe(value);
});

it('is for the host alone, and not for scripts', () => {
  const options = { path: '/', maxAgeS: 60, sameSite: 'Strict', secure: false } as const;
  expect(cookieText('a', 'b', options)).toBe('a=b; Path=/; Max-Age=60; HttpOnly; SameSite=Strict');
  expect(cookieText('a', 'b', { ...options, secure: true })).toMatch(/; Secure$/);
});
