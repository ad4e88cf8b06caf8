import { expect, it } from 'vitest';
import type { Slice, Store } from '../../../engine/src/ports/store.ts';
import type { TreeRef } from '../../../engine/src/ports/trouble.ts';
import { advanced, birth, childRecord, created, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function wakeContract(factory: StoreFactory): void {
  it('knows which trees are due, the earliest first, up to a limit', async () => {
    const { store } = await fresh(factory);
    await store.commit([waking('a', T0 + 30), waking('b', T0 + 10), waking('c', T0 + 20), waking('d', null)]);
    expect(await dueIds(store, T0 + 9, 10)).toEqual([]);
    expect(await dueIds(store, T0 + 20, 10)).toEqual(['b', 'c']);
    expect(await dueIds(store, T0 + 99, 2)).toEqual(['b', 'c']);
  });

  it('hands out the trees that are due a page at a time, each once, also where many are due at one time', async () => {
    const { store } = await fresh(factory);
    const times = { a: 10, b: 20, c: 20, d: 20, e: 30 };
    await store.commit(Object.entries(times).map(([runId, at]) => waking(runId, T0 + at)));
    const first = await store.due(T0 + 99, 2);
    expect(idsOf(first.items)).toEqual(['a', 'b']);
    const second = await store.due(T0 + 99, 2, first.next);
    expect(idsOf(second.items)).toEqual(['c', 'd']);
    const third = await store.due(T0 + 99, 2, second.next);
    expect(idsOf(third.items)).toEqual(['e']);
    expect(third.next).toBeUndefined();
  });

  it('says whose tree it is and what it runs', async () => {
    const { store } = await fresh(factory);
    await store.commit([waking('a', T0, true)]);
    const tree = { rootId: 'a', tenant: 'acme', workflowId: 'demo.greet', workflowVersion: 1 };
    expect(await store.unfinished()).toEqual([tree]);
    expect((await store.due(T0, 1)).items).toEqual([tree]);
  });

  it('knows the next deadline', async () => {
    const { store } = await fresh(factory);
    expect(await store.nextWake()).toBeUndefined();
    await store.commit([waking('a', T0 + 30), waking('b', T0 + 10)]);
    expect(await store.nextWake()).toBe(T0 + 10);
    await store.commit([slice('b', [advanced('b', 1, 1)], { wake: { at: null, unfinished: false } })]);
    expect(await store.nextWake()).toBe(T0 + 30);
  });

  it('knows which trees have unfinished work', async () => {
    const { store } = await fresh(factory);
    await store.commit([waking('a', null, true), waking('b', null), waking('c', null, true)]);
    expect(idsOf(await store.unfinished())).toEqual(['a', 'c']);
    await store.commit([slice('a', [advanced('a', 1, 1)], { wake: { at: null, unfinished: false } })]);
    expect(idsOf(await store.unfinished())).toEqual(['c']);
  });

  it('takes a wake-up for the tree from a slice that only moves a child, or nothing', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    const child = [created(childRecord('a.1', 'a'), 1)];
    await store.commit([slice('a', child, { wake: { at: T0 + 5, unfinished: true } })]);
    expect(await dueIds(store, T0 + 5, 10)).toEqual(['a']);
    expect(idsOf(await store.unfinished())).toEqual(['a']);
    await store.commit([slice('a', [], { wake: { at: null, unfinished: false } })]);
    expect(await dueIds(store, T0 + 5, 10)).toEqual([]);
    expect(idsOf(await store.unfinished())).toEqual([]);
  });

  it('rings a tree that is due, and no other', async () => {
    const { store } = await fresh(factory);
    await store.commit([waking('a', T0 + 30), waking('b', null)]);
    const tree = { rootId: 'a', tenant: 'acme', workflowId: 'demo.greet', workflowVersion: 1 };
    expect(await store.ringTree('a', T0 + 29)).toBeUndefined();
    expect(await store.ringTree('a', T0 + 30)).toEqual(tree);
    expect(await store.ringTree('b', T0 + 30)).toBeUndefined();
    expect(await store.ringTree('nobody', T0 + 30)).toBeUndefined();
  });

  it('rings no tree that is held', async () => {
    const { store } = await fresh(factory);
    await store.commit([waking('a', T0 + 30)]);
    await store.holdTrees(['a'], 'stalled', T0);
    expect(await store.ringTree('a', T0 + 30)).toBeUndefined();
  });

  it('refuses a wake-up for a tree that does not exist', async () => {
    const { store } = await fresh(factory);
    expect(await store.commit([slice('nobody', [], { wake: { at: T0, unfinished: true } })])).toEqual([
      'conflict',
    ]);
  });
}

function waking(runId: string, at: number | null, unfinished = false): Slice {
  return slice(runId, [created(record(runId), 1)], { wake: { at, unfinished } });
}

function idsOf(trees: readonly TreeRef[]): readonly string[] {
  return trees.map(({ rootId }) => rootId);
}

async function dueIds(store: Store, now: number, limit: number): Promise<readonly string[]> {
  return idsOf((await store.due(now, limit)).items);
}
