import { expect, it } from 'vitest';
import type { ListedState } from '../../../engine/src/ports/run-row.ts';
import {
  advanced,
  birth,
  childRecord,
  created,
  forked,
  forkOf,
  interrupt,
  record,
  slice,
  T0,
} from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

/** What lists show of runs beside their records. */

const USED = { inputTokens: 7, outputTokens: 3, toolCalls: 1, costUsd: 0.5 };

export function listedStateContract(factory: StoreFactory): void {
  it('keeps the newest listed state of a run, and that of a slice without one', async () => {
    const { store, reads, reopen } = await fresh(factory);
    const first: ListedState = { turn: 1 };
    const second: ListedState = { turn: 2, usage: USED, error: { code: 'c', message: 'm' } };
    await store.commit([
      slice('a', [created(record('a'), 1, { listed: first }), created(childRecord('a.1', 'a'), 1)], {
        from: 0,
      }),
    ]);
    expect((await reads.run('acme', 'a'))?.listed).toEqual(first);
    expect(await reads.run('acme', 'a.1')).not.toHaveProperty('listed');
    await store.commit([slice('a', [advanced('a', 1, 1), advanced('a.1', 1, 1, { listed: second })])]);
    await store.commit([slice('a', [advanced('a', 2, 1, { listed: second }), advanced('a.1', 2, 1)])]);
    const { store: again, reads: now } = await reopen();
    expect((await now.runs({ tenant: 'acme', limit: 5 })).items.map((run) => run.listed)).toEqual([
      second,
      second,
    ]);
    expect((await again.loadTree('a')).runs.map(({ row }) => row.listed)).toEqual([second, second]);
  });

  it('keeps the listed state of a fork', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 3)]);
    await store.commit([forked('b', forkOf('a', 2), 0, { listed: { turn: 4 } })]);
    expect((await reads.run('acme', 'b'))?.listed).toEqual({ turn: 4 });
  });

  it('removes the error of a purged run, and keeps the numbers', async () => {
    const { store, reads } = await fresh(factory);
    const listed = { turn: 1, usage: USED, error: { code: 'c', message: 'of a person' } };
    await store.commit([birth(record('a'), 1, { status: 'failed', listed })]);
    await store.purgeTrees(T0 + 1000, 10);
    expect((await reads.run('acme', 'a'))?.listed).toEqual({ turn: 1, usage: USED });
  });

  it('lists the oldest interrupts of a run and its descendants, and of no other run', async () => {
    const { store, reads } = await fresh(factory);
    const asks = (runId: string, ...at: number[]) => ({
      status: 'waiting-approval' as const,
      interruptsOpened: at.map((time) => interrupt(runId, `${runId}@${time}`, { requestedAt: T0 + time })),
    });
    await store.commit([
      slice(
        'a',
        [
          created(record('a'), 1, asks('a', 4)),
          created(childRecord('a.1', 'a'), 1, asks('a.1', 3)),
          created(childRecord('a.1.1', 'a.1'), 1, asks('a.1.1', 1, 5)),
          created(childRecord('a.10', 'a'), 1, asks('a.10', 2)),
          created(childRecord('a.2', 'a'), 1, { status: 'completed' }),
        ],
        { from: 0 },
      ),
      birth(record('b'), 1),
    ]);
    const { items } = await reads.runs({ tenant: 'acme', limit: 10 });
    const waits = Object.fromEntries(
      items.map((run) => [run.runId, run.waits?.map((wait) => wait.interruptId)]),
    );
    expect(waits).toEqual({
      a: ['a.1.1@1', 'a.10@2', 'a.1@3'],
      'a.1': ['a.1.1@1', 'a.1@3', 'a.1.1@5'],
      'a.1.1': ['a.1.1@1', 'a.1.1@5'],
      'a.10': ['a.10@2'],
      'a.2': undefined,
      b: undefined,
    });
  });

  it('counts the runs of a tenant by status, up to a bound', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      birth(record('a'), 1, { status: 'completed' }),
      birth(record('b'), 1, { status: 'completed' }),
      birth(record('c'), 1, { status: 'failed' }),
      birth(record('d')),
      birth(record('e', { tenant: 'other' })),
    ]);
    expect(await reads.runCounts('acme', 100)).toEqual({
      total: 4,
      byStatus: { completed: 2, failed: 1, running: 1 },
    });
    expect((await reads.runCounts('acme', 3)).total).toBe(3);
    expect(await reads.runCounts('nobody', 100)).toEqual({ total: 0, byStatus: {} });
  });

  it('tells how much it holds', async () => {
    const { store, reads } = await fresh(factory);
    const empty = await reads.storageFacts();
    expect(empty).toMatchObject({ kind: expect.any(String), runs: 0, events: 0 });
    await store.commit([birth(record('a'), 3), birth(record('b', { tenant: 'other' }), 2)]);
    expect(await reads.storageFacts()).toMatchObject({ runs: 2, events: 5 });
    expect((await reads.storageFacts()).bytes).toBeGreaterThan(0);
  });

  it('finds some runs of a tenant by their ids, as they are listed', async () => {
    const { store, reads } = await fresh(factory);
    const asking = { interruptsOpened: [interrupt('b', 'b:1')] };
    await store.commit([
      birth(record('a')),
      birth(record('b'), 1, asking),
      birth(record('c', { tenant: 'other' })),
    ]);
    const found = await reads.listedRuns('acme', ['b', 'c', 'a', 'nobody']);
    const listed = (await reads.runs({ tenant: 'acme', limit: 5 })).items;
    expect(found.toSorted((one, other) => other.runId.localeCompare(one.runId))).toEqual(listed);
    expect(await reads.listedRuns('acme', [])).toEqual([]);
  });
}
