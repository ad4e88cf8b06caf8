import { describe, expect, it } from 'vitest';
import type { Queries } from '../database/database.ts';
import { numberPool } from './number-pool.ts';

/** The sequence of a database, which may answer late. Each number stands for 64 runs. */
function sequence() {
  let last = -63;
  let fetches = 0;
  let late: Promise<void> | undefined;
  const rows = async (_sql: string, count: unknown) => {
    fetches += 1;
    await late;
    return Array.from({ length: Number(count) }, () => {
      last += 64;
      return { first: last };
    });
  };
  return {
    queries: { rows } as unknown as Queries,
    fetches: () => fetches,
    /** From now on answers wait for this. */
    delay(until: Promise<void> | undefined) {
      late = until;
    },
  };
}

describe('numbers of runs', () => {
  it('rise, also over several fetches, and none is used twice', async () => {
    const { queries } = sequence();
    const pool = numberPool(() => 0);
    const numbers: number[] = [];
    for (let count = 0; count < 100; count += 1) numbers.push(...(await pool.take(queries, count)));
    expect(numbers).toHaveLength(4950);
    expect(numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0))).toBe(true);
  });

  it('rise with time across hosts: numbers that were fetched long ago are not used', async () => {
    const { queries } = sequence();
    let now = 0;
    const one = numberPool(() => now);
    const other = numberPool(() => now);
    const [first = 0] = await one.take(queries, 1);
    now = 251;
    const [second = 0] = await other.take(queries, 1);
    const [third = 0] = await one.take(queries, 1);
    expect([first < second, second < third]).toEqual([true, true]);
    now = 300;
    expect(await other.take(queries, 1)).toEqual([second + 1]);
  });

  it('are fetched before they are needed', async () => {
    const { queries, fetches, delay } = sequence();
    const pool = numberPool(() => 0);
    for (let taken = 0; taken < 50; taken += 1) await pool.take(queries, 1);
    await new Promise((resolve) => setImmediate(resolve));
    const before = fetches();
    expect(before).toBe(2);
    // Nothing is fetched for the next ones.
    delay(new Promise(() => undefined));
    expect(await pool.take(queries, 60)).toHaveLength(60);
  });

  it('are fetched more at once by a busy host', async () => {
    const { queries, fetches } = sequence();
    const pool = numberPool(() => 0);
    for (let taken = 0; taken < 200; taken += 1) {
      await pool.take(queries, 64);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(fetches()).toBeLessThan(40);
  });

  it('are taken by those that wait for one fetch, each its own', async () => {
    const { queries } = sequence();
    const pool = numberPool(() => 0);
    const taken = await Promise.all([pool.take(queries, 3), pool.take(queries, 3), pool.take(queries, 200)]);
    expect(new Set(taken.flat()).size).toBe(206);
  });

  it('are asked for again after a fetch has failed', async () => {
    const { queries } = sequence();
    const pool = numberPool(() => 0);
    const broken = { rows: () => Promise.reject(new Error('broken')) } as unknown as Queries;
    await expect(pool.take(broken, 1)).rejects.toThrow('broken');
    expect(await pool.take(queries, 1)).toHaveLength(1);
  });
});
