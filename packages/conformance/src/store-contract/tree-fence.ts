import { expect, it } from 'vitest';
import { advanced, birth, childRecord, created, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

/** Slices that were computed from an older state of their tree are refused. */
export function treeFenceContract(factory: StoreFactory): void {
  const tree = slice('a', [created(record('a'), 2), created(childRecord('a.1', 'a'), 1)], { from: 0 });

  it('refuses the second of two slices from one state, even if they touch different runs', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([tree]);
    const pausesRoot = slice('a', [advanced('a', 2, 1, { status: 'paused' })], { from: 3 });
    const movesChild = slice('a', [advanced('a.1', 1, 1)], { from: 3 });
    expect(await store.commit([pausesRoot])).toEqual(['committed']);
    expect(await store.commit([movesChild])).toEqual(['conflict']);
    expect(await reads.run('acme', 'a.1')).toMatchObject({ head: 1 });
    expect(await store.commit([{ ...movesChild, from: 4 }])).toEqual(['committed']);
  });

  it('refuses it within one group as well', async () => {
    const { store } = await fresh(factory);
    await store.commit([tree]);
    const slices = [
      slice('a', [advanced('a.1', 1, 1)], { from: 3 }),
      slice('a', [advanced('a', 2, 1)], { from: 3 }),
      birth(record('b')),
    ];
    expect(await store.commit(slices)).toEqual(['committed', 'conflict', 'committed']);
  });

  it('refuses a new deadline that was computed from an older state', async () => {
    const { store } = await fresh(factory);
    await store.commit([tree]);
    const deadline = (from: number, at: number) => slice('a', [], { from, wake: { at, unfinished: false } });
    expect(await store.commit([deadline(3, T0 + 10)])).toEqual(['committed']);
    await store.commit([
      slice('a', [advanced('a.1', 1, 1)], { from: 3, wake: { at: T0 + 5, unfinished: false } }),
    ]);
    expect(await store.commit([deadline(3, T0 + 99)])).toEqual(['conflict']);
    expect(await store.nextWake()).toBe(T0 + 5);
  });

  it('checks a tree that an answer was read from, without a change', async () => {
    const { store } = await fresh(factory);
    await store.commit([tree]);
    const read = (from: number) => slice('a', [], { from });
    expect(await store.commit([read(3), read(2)])).toEqual(['committed', 'conflict']);
    expect(await store.commit([slice('nobody', [], { from: 0 })])).toEqual(['conflict']);
    expect(await store.newestPlace('a')).toBe(3);
  });

  it('keeps the deadline of a tree when a slice does not name another', async () => {
    const { store } = await fresh(factory);
    await store.commit([{ ...tree, wake: { at: T0 + 7, unfinished: true } }]);
    await store.commit([slice('a', [advanced('a', 2, 1)]), slice('a', [advanced('a.1', 1, 1)])]);
    expect(await store.nextWake()).toBe(T0 + 7);
    expect(await store.unfinished()).toMatchObject([{ rootId: 'a' }]);
  });

  it('refuses a slice that moves its tree and does not say from where', async () => {
    const opened = await factory.open();
    const wake = { at: null, unfinished: false };
    const refused = { refused: expect.stringContaining('place') };
    expect(await opened.store.commit([slice('a', [created(record('a'), 1)])])).toEqual([refused]);
    await opened.store.commit([tree]);
    expect(await opened.store.commit([slice('a', [], { wake })])).toEqual([refused]);
    await opened.destroy();
  });
}
