import { expect, it } from 'vitest';
import { createPages, nextSize } from './pages.ts';

const logOf = (events: readonly string[]) => ({
  events: async (_tenant: string, _runId: string, from: number, limit: number) =>
    events.slice(from, from + limit),
});

it('walks a log once, whole and in order, and sees what is added later', async () => {
  const log = Array.from({ length: 1000 }, (_, index) => `event ${index}`);
  const pages = createPages(logOf(log), { tenant: 't', runId: 'r' }, 10);
  const read: string[] = [];
  for (let page = await pages.read(); page.length > 0; page = await pages.read()) {
    expect(page.length).toBeLessThanOrEqual(256);
    read.push(...page);
  }
  expect(read).toEqual(log.slice(10));
  log.push('late');
  expect(await pages.read()).toEqual(['late']);
  expect(pages.position()).toBe(1001);
});

it('takes fewer large events at a time, and more small ones', () => {
  const large = Array.from({ length: 64 }, () => 'x'.repeat(100_000));
  expect(nextSize(64, large)).toBe(32);
  expect(nextSize(1, large.slice(0, 3))).toBe(1);
  expect(
    nextSize(
      64,
      Array.from({ length: 64 }, () => 'x'),
    ),
  ).toBe(128);
  expect(nextSize(64, ['x'])).toBe(64);
});
