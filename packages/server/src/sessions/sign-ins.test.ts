import { expect, it } from 'vitest';
import { countAttempts } from './sign-ins.ts';

it('refuses a name after too many attempts, until its window is over', () => {
  let time = 0;
  const { admit, count } = countAttempts({ most: 2, windowMs: 60_000, message: 'Wait.', now: () => time });
  count('a');
  expect(() => admit('a')).not.toThrow();
  time = 30_000;
  count('a');
  expect(() => admit('a')).toThrow(
    expect.objectContaining({ code: 'rate_limited', message: 'Wait.', details: { retryAfter: 30 } }),
  );
  expect(() => admit('b')).not.toThrow();
  time = 60_000;
  expect(() => admit('a')).not.toThrow();
  count('a');
  expect(() => admit('a')).not.toThrow();
});

it('remembers a bounded number of names, and drops those whose window is over first', () => {
  let time = 0;
  const { admit, count } = countAttempts({ most: 1, windowMs: 100, message: 'Wait.', now: () => time });
  for (let name = 0; name < 9_999; name += 1) count(`old-${name}`);
  time = 100;
  count('guesser');
  count('one more');
  expect(() => admit('guesser')).toThrow();
});
