import { expect, it } from 'vitest';
import type { SpentOnDay } from '../reads/spending.ts';
import { advanced, birth, record, slice } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

/** What a tenant used, by day. */

const DAY = 20_000;
const NOTHING = { inputTokens: 0, outputTokens: 0, toolCalls: 0 };
const spent = (more: Partial<SpentOnDay> = {}): SpentOnDay => ({
  tenant: 'acme',
  day: DAY,
  inputTokens: 10,
  outputTokens: 4,
  toolCalls: 1,
  ...more,
});

export function spendingContract(factory: StoreFactory): void {
  it('adds up what slices used, by tenant and day, also after a restart', async () => {
    const { store, reads, reopen } = await fresh(factory);
    expect(await reads.spending('acme', DAY, DAY)).toEqual(NOTHING);
    await store.commit([
      { ...birth(record('a')), spent: spent() },
      { ...birth(record('b')), spent: spent({ inputTokens: 1 }) },
      { ...birth(record('c', { tenant: 'other' })), spent: spent({ tenant: 'other', toolCalls: 9 }) },
    ]);
    await store.commit([slice('a', [advanced('a', 1, 1)], { spent: spent({ day: DAY + 1 }) })]);
    const { store: again, reads: now } = await reopen();
    await again.commit([slice('a', [advanced('a', 2, 1)], { spent: spent() })]);
    expect(await now.spending('acme', DAY, DAY)).toEqual({ inputTokens: 21, outputTokens: 12, toolCalls: 3 });
    expect(await now.spending('acme', DAY + 1, DAY + 1)).toMatchObject({ inputTokens: 10 });
    expect(await now.spending('acme', DAY, DAY + 30)).toMatchObject({ inputTokens: 31 });
    expect(await now.spending('acme', DAY + 2, DAY + 30)).toEqual(NOTHING);
    expect(await now.spending('other', DAY, DAY)).toMatchObject({ toolCalls: 9 });
  });

  it('adds up known costs exactly, in any order, and has none while no price is known', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([{ ...birth(record('a')), spent: spent() }]);
    expect(await reads.spending('acme', DAY, DAY)).not.toHaveProperty('costUsd');
    for (const [at, costUsd] of [0.1, 0.2, 0.000_000_001, undefined, 0.7].entries()) {
      const more = costUsd === undefined ? {} : { costUsd };
      await store.commit([slice('a', [advanced('a', at + 1, 1)], { spent: spent(more) })]);
    }
    expect((await reads.spending('acme', DAY, DAY)).costUsd).toBe(1.000_000_001);
  });

  it('counts nothing of a slice that is not stored, and once what is written again without it', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    const late = slice('a', [advanced('a', 7, 1)], { spent: spent() });
    const other = { ...birth(record('b')), spent: spent({ inputTokens: 5 }) };
    expect(await store.commit([other, late])).toEqual(['committed', 'conflict']);
    expect(await reads.spending('acme', DAY, DAY)).toMatchObject({ inputTokens: 5, toolCalls: 1 });
  });

  it('stays at the largest count that it can keep', async () => {
    const { store, reads } = await fresh(factory);
    const inputTokens = Number.MAX_SAFE_INTEGER;
    const costUsd = 1e12;
    await store.commit([
      { ...birth(record('a')), spent: spent({ inputTokens, costUsd }) },
      { ...birth(record('b')), spent: spent({ inputTokens, costUsd }) },
    ]);
    await store.commit([slice('a', [advanced('a', 1, 1)], { spent: spent({ inputTokens, costUsd }) })]);
    expect(await reads.spending('acme', DAY, DAY)).toMatchObject({ inputTokens, outputTokens: 12 });
  });
}
