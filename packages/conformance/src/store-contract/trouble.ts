import { expect, it } from 'vitest';
import { advanced, birth, childRecord, created, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function troubleContract(factory: StoreFactory): void {
  it('counts the losses of a tree in a row, and remembers them', async () => {
    const first = await fresh(factory);
    await first.store.commit([birth(record('a')), birth(record('b'))]);
    expect(await first.store.countLoss('a')).toBe(1);
    expect(await first.store.countLoss('b')).toBe(1);
    const { store } = await first.reopen();
    expect(await store.countLoss('a')).toBe(2);
    expect((await store.troubledTrees()).map(({ rootId, losses }) => [rootId, losses])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('starts to count anew once losses are forgotten', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    await store.countLoss('a');
    await store.forgetLosses('a');
    expect(await store.troubledTrees()).toEqual([]);
    expect(await store.countLoss('a')).toBe(1);
  });

  it('counts nothing for trees that are not there or have ended', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'), 1, { status: 'completed' })]);
    expect(await store.countLoss('a')).toBe(0);
    expect(await store.countLoss('nobody')).toBe(0);
    expect(await store.troubledTrees()).toEqual([]);
  });

  it('holds trees, so that they are neither due nor unfinished', async () => {
    const { store, reads } = await fresh(factory);
    const wake = { at: T0, unfinished: true };
    await store.commit(['a', 'b', 'c'].map((id) => slice(id, [created(record(id), 1)], { wake })));
    await store.countLoss('a');
    await store.holdTrees(['a', 'b', 'nobody'], 'stalled', T0 + 1);
    expect((await store.unfinished()).map(({ rootId }) => rootId)).toEqual(['c']);
    expect((await store.due(T0, 9)).items.map(({ rootId }) => rootId)).toEqual(['c']);
    const tree = { tenant: 'acme', workflowId: 'demo.greet', workflowVersion: 1 };
    const held = { at: T0 + 1, reason: 'stalled' };
    const trees = [
      { ...tree, rootId: 'b', losses: 0, held },
      { ...tree, rootId: 'a', losses: 1, held },
    ];
    expect(await reads.heldTrees(9)).toEqual({ total: 2, trees });
    expect(await reads.heldTrees(1)).toEqual({ total: 2, trees: trees.slice(0, 1) });
    expect(await reads.heldCount()).toBe(2);
  });

  it('keeps a hold when losses are forgotten', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    await store.holdTrees(['a'], 'lost', T0);
    await store.forgetLosses('a');
    expect(await reads.heldCount()).toBe(1);
  });

  it('releases a held tree, which is unfinished then and has no losses', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    await store.countLoss('a');
    expect(await store.releaseTree('a')).toBe(false);
    await store.holdTrees(['a'], 'lost', T0);
    expect(await store.releaseTree('a')).toBe(true);
    expect(await store.releaseTree('a')).toBe(false);
    expect((await store.unfinished()).map(({ rootId }) => rootId)).toEqual(['a']);
    expect(await reads.heldCount()).toBe(0);
    expect(await store.countLoss('a')).toBe(1);
  });

  it('does not list a held tree that has ended, nor one of its children', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([slice('a', [created(record('a'), 1), created(childRecord('a.1', 'a'), 1)])]);
    await store.holdTrees(['a', 'a.1'], 'kin', T0);
    expect(await reads.heldCount()).toBe(1);
    await store.commit([slice('a', [advanced('a', 1, 1, { status: 'failed' })])]);
    expect(await reads.heldTrees(9)).toEqual({ total: 0, trees: [] });
    expect(await reads.heldCount()).toBe(0);
    expect(await store.troubledTrees()).toEqual([]);
  });
}
