import { expect, it } from 'vitest';
import { signInCodes } from './sign-in-codes.ts';

const ana = { kind: 'key', keyId: 'k1', tenant: 'acme' } as const;
const bo = { kind: 'key', keyId: 'k2', tenant: 'acme' } as const;

function codesAt(time: number) {
  const clock = { time };
  return { clock, ...signInCodes(() => clock.time) };
}

it('gives the holder once, and nothing for any other text', () => {
  const { issue, take } = codesAt(0);
  const code = issue(ana, 1000);
  expect(code).toMatch(/^[\w-]{43}$/);
  expect(take(`${code}x`)).toBeUndefined();
  expect(take('')).toBeUndefined();
  expect(take(code)).toEqual(ana);
  expect(take(code)).toBeUndefined();
});

it('ends with its time, or not at all', () => {
  const { clock, issue, take } = codesAt(0);
  const [short, exact, long] = [issue(ana, 1000), issue(ana, 1001), issue(ana)];
  clock.time = 1000;
  expect([take(short), take(exact)]).toEqual([undefined, ana]);
  clock.time = 1e12;
  expect(take(long)).toEqual(ana);
});

it('ends when its holder has made many more, and those of others stay', () => {
  const { issue, take } = codesAt(0);
  const other = issue(bo, 1000);
  const codes = Array.from({ length: 21 }, () => issue(ana, 1000));
  expect(take(codes[0]!)).toBeUndefined();
  expect(take(codes[1]!)).toEqual(ana);
  expect(take(codes[20]!)).toEqual(ana);
  expect(take(other)).toEqual(bo);
});
