import { expect, it } from 'vitest';
import type { SpentByAgent, SpentOnDay } from '../../../engine/src/ports/reads/spending.ts';
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

  it('lists the days of a tenant on which something was used', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      { ...birth(record('a')), spent: spent({ day: DAY + 2, costUsd: 0.5 }) },
      { ...birth(record('b')), spent: spent({ toolCalls: -1 }) },
      { ...birth(record('c', { tenant: 'other' })), spent: spent({ tenant: 'other', day: DAY + 1 }) },
    ]);
    const used = { inputTokens: 10, outputTokens: 4 };
    expect(await reads.dailySpending('acme', DAY, DAY + 2)).toEqual([
      { day: DAY, ...used, toolCalls: 0 },
      { day: DAY + 2, ...used, toolCalls: 1, costUsd: 0.5 },
    ]);
    expect(await reads.dailySpending('acme', DAY + 1, DAY + 1)).toEqual([]);
  });

  it('adds up what agents used, by tenant, agent and day, those with the most tokens first', async () => {
    const { store, reopen } = await fresh(factory);
    const by = (agentId: string, inputTokens: number): SpentByAgent => ({ ...NOTHING, agentId, inputTokens });
    const given = (...agents: readonly ReturnType<typeof by>[]) => spent({ agents });
    await store.commit([
      { ...birth(record('a')), spent: given(by('x.small', 1), by('x.large', 50)) },
      { ...birth(record('b')), spent: given({ ...by('x.small', 2), costUsd: 0.25, toolCalls: 2 }) },
      {
        ...birth(record('c', { tenant: 'other' })),
        spent: { ...given(by('x.large', 9)), tenant: 'other' },
      },
    ]);
    const { store: again, reads: now } = await reopen();
    await again.commit([
      slice('a', [advanced('a', 1, 1)], { spent: { ...given(by('x.small', 7)), day: DAY + 1 } }),
    ]);
    const large = { agentId: 'x.large', days: [{ day: DAY, ...NOTHING, inputTokens: 50 }] };
    const small = {
      agentId: 'x.small',
      days: [
        { day: DAY, inputTokens: 3, outputTokens: 0, toolCalls: 2, costUsd: 0.25 },
        { day: DAY + 1, ...NOTHING, inputTokens: 7 },
      ],
    };
    expect(await now.agentSpending('acme', DAY, DAY + 1, 10)).toEqual([large, small]);
    expect(await now.agentSpending('acme', DAY, DAY + 1, 1)).toEqual([large]);
    expect(await now.agentSpending('acme', DAY + 1, DAY + 9, 10)).toEqual([
      { ...small, days: small.days.slice(1) },
    ]);
    expect(await now.agentSpending('nobody', DAY, DAY, 10)).toEqual([]);
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
