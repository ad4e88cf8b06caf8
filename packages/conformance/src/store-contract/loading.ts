import { expect, it } from 'vitest';
import { FOLD_VERSION } from '../../../engine/src/ports/fold-version.ts';
import type { StoredRun } from '../../../engine/src/ports/store.ts';
import { advanced, birth, childRecord, created, events, record, slice } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function loadingContract(factory: StoreFactory): void {
  it('loads the whole log of a run that has no checkpoint', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 5)]);
    const {
      runs: [run],
    } = await store.loadTree('a');
    expect(run).toEqual({ row: await reads.run('acme', 'a'), tail: events('a', 0, 5), forks: [] });
    expect(await reads.stored('acme', 'a')).toEqual(run);
  });

  it('loads the newest checkpoint and the events from it on', async () => {
    const { store, reads } = await fresh(factory);
    const at = (sequence: number) => ({
      sequence,
      foldVersion: FOLD_VERSION,
      state: `{"folded":${sequence}}`,
    });
    await store.commit([birth(record('a'), 5, { savedState: at(4) })]);
    await store.commit([slice('a', [advanced('a', 5, 5, { savedState: at(8) })])]);
    await store.commit([slice('a', [advanced('a', 10, 2)])]);
    const {
      runs: [run],
    } = await store.loadTree('a');
    expect(run?.savedState).toEqual(at(8));
    expect(run?.tail).toEqual(events('a', 8, 4));
    expect(await reads.stored('acme', 'a')).toEqual(run);
  });

  it('loads the state before any event: the newest checkpoint up to it, and the events up to it', async () => {
    const { store, reads } = await fresh(factory);
    const at = (sequence: number) => ({
      sequence,
      foldVersion: FOLD_VERSION,
      state: `{"folded":${sequence}}`,
    });
    await store.commit([birth(record('a'), 5, { savedState: { ...at(4), chain: 'link3' } })]);
    await store.commit([slice('a', [advanced('a', 5, 5, { savedState: at(8) })])]);
    const row = await store.run('a');
    const expected: [number, Partial<StoredRun>][] = [
      [0, { row, tail: [], forks: [] }],
      [3, { row, tail: events('a', 0, 3), forks: [] }],
      [4, { row, savedState: { ...at(4), chain: 'link3' }, tail: [], forks: [] }],
      [7, { row, savedState: { ...at(4), chain: 'link3' }, tail: events('a', 4, 3), forks: [] }],
      [9, { row, savedState: at(8), tail: events('a', 8, 1), forks: [] }],
      [99, { row, savedState: at(8), tail: events('a', 8, 2), forks: [] }],
    ];
    for (const [sequence, stored] of expected) {
      expect(await reads.storedAt('acme', 'a', sequence)).toEqual(stored);
      expect(await store.storedRunAt('a', sequence)).toEqual(stored);
    }
    expect(await reads.storedAt('other', 'a', 3)).toBeUndefined();
    expect(await store.storedRunAt('nobody', 3)).toBeUndefined();
  });

  it('ignores a newer checkpoint that another fold made, and takes the one before', async () => {
    const { store } = await fresh(factory);
    const good = { sequence: 2, foldVersion: FOLD_VERSION, state: '{"good":true}' };
    await store.commit([birth(record('a'), 2, { savedState: good })]);
    const foreign = { sequence: 4, foldVersion: FOLD_VERSION + 1, state: '{}' };
    await store.commit([slice('a', [advanced('a', 2, 3, { savedState: foreign })])]);
    expect(await store.storedRun('a')).toMatchObject({ savedState: good, tail: events('a', 2, 3) });
  });

  it('replaces a checkpoint by one of another fold at the same place', async () => {
    const { store } = await fresh(factory);
    const foreign = { sequence: 2, foldVersion: FOLD_VERSION - 1, state: '{}' };
    await store.commit([birth(record('a'), 2, { savedState: foreign })]);
    const good = { sequence: 2, foldVersion: FOLD_VERSION, state: '{"good":true}' };
    await store.commit([slice('a', [advanced('a', 2, 1, { savedState: good })])]);
    expect((await store.storedRun('a'))?.savedState).toEqual(good);
  });

  it('ignores a checkpoint that another fold made, and loads the whole log', async () => {
    const { store } = await fresh(factory);
    const checkpoint = { sequence: 4, foldVersion: FOLD_VERSION + 1, state: '{}' };
    await store.commit([birth(record('a'), 5, { savedState: checkpoint })]);
    const {
      runs: [run],
    } = await store.loadTree('a');
    expect(run?.savedState).toBeUndefined();
    expect(run?.tail).toEqual(events('a', 0, 5));
  });

  it('loads an empty tail when the checkpoint holds everything', async () => {
    const { store } = await fresh(factory);
    const checkpoint = { sequence: 5, foldVersion: FOLD_VERSION, state: '{}' };
    await store.commit([birth(record('a'), 5, { savedState: checkpoint })]);
    expect((await store.loadTree('a')).runs[0]?.tail).toEqual([]);
  });

  it('loads those runs of a tree that have not ended, parents first', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      slice('a', [
        created(record('a'), 1, { status: 'waiting-external' }),
        created(childRecord('a.1', 'a'), 1, { status: 'completed' }),
        created(childRecord('a.2', 'a'), 1, { status: 'failed' }),
        created(childRecord('a.3', 'a'), 1, { status: 'cancelled' }),
        created(childRecord('a.4', 'a'), 1, { status: 'waiting-approval' }),
        created(childRecord('a.4.1', 'a.4'), 1),
      ]),
      birth(record('b')),
    ]);
    const ids = async () => (await store.loadTree('a')).runs.map((run) => run.row.runId);
    expect(await ids()).toEqual(['a', 'a.4', 'a.4.1']);
    await store.commit([slice('a', [advanced('a.4', 1, 1, { status: 'completed' })])]);
    expect(await ids()).toEqual(['a', 'a.4.1']);
    expect((await reads.stored('acme', 'a.4'))?.tail).toHaveLength(2);
  });

  it('loads one run with its events, ended or not', async () => {
    const { store, reads } = await fresh(factory);
    const checkpoint = { sequence: 1, foldVersion: FOLD_VERSION, state: '{}' };
    const child = created(childRecord('a.1', 'a'), 3, { status: 'completed', savedState: checkpoint });
    await store.commit([slice('a', [created(record('a'), 2), child])]);
    expect(await store.storedRun('a')).toEqual(await reads.stored('acme', 'a'));
    expect(await store.storedRun('a.1')).toEqual({
      row: await store.run('a.1'),
      savedState: checkpoint,
      tail: events('a.1', 1, 2),
      forks: [],
    });
  });

  it('finds nothing where there is nothing', async () => {
    const { store, reads } = await fresh(factory);
    expect(await store.loadTree('nobody')).toEqual({ newestPlace: 0, runs: [] });
    expect(await store.run('nobody')).toBeUndefined();
    expect(await store.storedRun('nobody')).toBeUndefined();
    expect(await reads.run('acme', 'nobody')).toBeUndefined();
    expect(await reads.stored('acme', 'nobody')).toBeUndefined();
    expect(await reads.events('acme', 'nobody', 0, 10)).toEqual([]);
  });
}
