import { expect, it } from 'vitest';
import { periodAt } from './periods.ts';

const DAY_MS = 86_400_000;
const dayOf = (text: string) => Date.parse(text) / DAY_MS;

it.each([
  ['2026-02-28T23:59:59.999Z', '2026-02-28', '2026-03-01', '2026-02-01', '2026-03-01'],
  ['2026-03-01T00:00:00.000Z', '2026-03-01', '2026-03-02', '2026-03-01', '2026-04-01'],
  ['2028-02-29T12:00:00.000Z', '2028-02-29', '2028-03-01', '2028-02-01', '2028-03-01'],
  ['2026-12-31T12:00:00.000Z', '2026-12-31', '2027-01-01', '2026-12-01', '2027-01-01'],
])('begins days and months at midnight in UTC: %s', (now, day, nextDay, month, nextMonth) => {
  const at = Date.parse(now);
  const period = (from: string, until: string) => ({
    firstDay: dayOf(from),
    lastDay: dayOf(until) - 1,
    from: `${from}T00:00:00.000Z`,
    until: `${until}T00:00:00.000Z`,
  });
  expect(periodAt('day', at)).toEqual(period(day, nextDay));
  expect(periodAt('month', at)).toEqual(period(month, nextMonth));
});
