import { expect, it } from 'vitest';
import type { Slice } from '../store.ts';
import { advanced, birth, childRecord, created, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function wakeContract(factory: StoreFactory): void {
  it('knows which trees are due, the earliest first, up to a limit', async () => {
    const { store } = await fresh(factory);
    await store.commit([waking('a', T0 + 30), waking('b', T0 + 10), waking('c', T0 + 20), waking('d', null)]);
    expect(await store.due(T0 + 9, 10)).toEqual([]);
    expect(await store.due(T0 + 20, 10)).toEqual(['b', 'c']);
    expect(await store.due(T0 + 99, 2)).toEqual(['b', 'c']);
  });

  it('knows the next deadline', async () => {
    const { store } = await fresh(factory);
    expect(await store.nextWake()).toBeUndefined();
    await store.commit([waking('a', T0 + 30), waking('b', T0 + 10)]);
    expect(await store.nextWake()).toBe(T0 + 10);
    await store.commit([slice('b', [advanced('b', 1, 1)], { wake: { at: null, unfinished: false } })]);
    expect(await store.nextWake()).toBe(T0 + 30);
  });

  it('keeps the deadline when a slice says nothing about it', async () => {
    const { store } = await fresh(factory);
    await store.commit([waking('a', T0 + 30, true)]);
    await store.commit([slice('a', [advanced('a', 1, 1)])]);
    expect(await store.nextWake()).toBe(T0 + 30);
    expect(await store.unfinished()).toEqual(['a']);
  });

  it('knows which trees have unfinished work', async () => {
    const { store } = await fresh(factory);
    await store.commit([waking('a', null, true), waking('b', null), waking('c', null, true)]);
    expect(await store.unfinished()).toEqual(['a', 'c']);
    await store.commit([slice('a', [advanced('a', 1, 1)], { wake: { at: null, unfinished: false } })]);
    expect(await store.unfinished()).toEqual(['c']);
  });

  it('takes a wake-up for the tree from a slice that only moves a child, or nothing', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    const child = [created(childRecord('a.1', 'a'), 1)];
    await store.commit([slice('a', child, { wake: { at: T0 + 5, unfinished: true } })]);
    expect(await store.due(T0 + 5, 10)).toEqual(['a']);
    expect(await store.unfinished()).toEqual(['a']);
    await store.commit([slice('a', [], { wake: { at: null, unfinished: false } })]);
    expect(await store.due(T0 + 5, 10)).toEqual([]);
    expect(await store.unfinished()).toEqual([]);
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
