import { expect, it } from 'vitest';
import { FOLD_VERSION } from '../../../engine/src/ports/fold-version.ts';
import type { ForkPoint, ForkRecord, SavedState, StoredRun } from '../../../engine/src/ports/store.ts';
import {
  advanced,
  birth,
  childRecord,
  created,
  events,
  forked,
  forkOf,
  record,
  slice,
  T0,
} from './example-slices.ts';
import { fresh, type StoreFactory, type StoreUnderTest } from './under-test.ts';

function at(sequence: number): SavedState {
  return { sequence, foldVersion: FOLD_VERSION, state: `{"folded":${sequence}}`, chain: `link${sequence}` };
}

function point(runId: string, fork: ForkRecord): ForkPoint {
  return { runId, createdAt: T0 + 100, fork };
}

/** The loaded run from both parts of the store. `end` asks for its state before an event. */
async function load(
  { store, reads }: StoreUnderTest,
  runId: string,
  end?: number,
): Promise<Omit<StoredRun, 'row'> | undefined> {
  const found =
    end === undefined ? await reads.stored('acme', runId) : await reads.storedAt('acme', runId, end);
  expect(end === undefined ? await store.storedRun(runId) : await store.storedRunAt(runId, end)).toEqual(
    found,
  );
  if (found === undefined) return undefined;
  const { row, ...rest } = found;
  expect(row).toEqual(await store.run(runId));
  return rest;
}

export function forkLoadingContract(factory: StoreFactory): void {
  const toF = forkOf('a', 6);
  const toG = forkOf('f', 8);

  it('loads the log of a fork from where that of its source begins, with the fork points on the way', async () => {
    const opened = await fresh(factory);
    await opened.store.commit([birth(record('a'), 10), forked('f', toF, 4)]);
    await opened.store.commit([forked('g', toG, 1)]);
    const ofF = [...events('a', 0, 6), ...events('f', 6, 4)];
    expect(await load(opened, 'f')).toEqual({ tail: ofF, forks: [point('f', toF)] });
    expect(await load(opened, 'g')).toEqual({
      tail: [...ofF.slice(0, 8), ...events('g', 8, 1)],
      forks: [point('f', toF), point('g', toG)],
    });
    expect((await opened.store.loadTree('g')).runs).toEqual([await opened.store.storedRun('g')]);
  });

  it('loads a fork that has done nothing yet', async () => {
    const opened = await fresh(factory);
    await opened.store.commit([birth(record('a'), 10), forked('f', toF)]);
    expect(await load(opened, 'f')).toEqual({ tail: events('a', 0, 6), forks: [point('f', toF)] });
  });

  it('leaves out a fork that is cut before its beginning, and keeps one that is cut right there', async () => {
    const opened = await fresh(factory);
    await opened.store.commit([birth(record('a'), 10), forked('f', toF, 4)]);
    const before = forkOf('f', 3);
    const there = forkOf('f', 6);
    await opened.store.commit([forked('g3', before), forked('g6', there)]);
    expect(await load(opened, 'g3')).toEqual({ tail: events('a', 0, 3), forks: [point('g3', before)] });
    const both = [point('f', toF), point('g6', there)];
    expect(await load(opened, 'g6')).toEqual({ tail: events('a', 0, 6), forks: both });
  });

  it('names the parent of a forked child', async () => {
    const opened = await fresh(factory);
    const fork = forkOf('a.1', 1);
    await opened.store.commit([slice('a', [created(record('a'), 2), created(childRecord('a.1', 'a'), 2)])]);
    await opened.store.commit([
      slice('f', [
        advanced('f', 2, 0, { created: record('f', { fork: forkOf('a', 2, { live: ['a.1'] }) }) }),
        advanced('f.1', 1, 0, { created: childRecord('f.1', 'f', { fork }) }),
      ]),
    ]);
    const expected = { runId: 'f.1', parentRunId: 'f', createdAt: T0, fork };
    expect((await load(opened, 'f.1'))?.forks).toEqual([expected]);
  });

  it('gives the point of a fork that shares nothing, until there is a checkpoint of its own', async () => {
    const opened = await fresh(factory);
    const fork = forkOf('a', 0);
    await opened.store.commit([birth(record('a'), 5), forked('f', fork, 3)]);
    expect(await load(opened, 'f')).toEqual({ tail: events('f', 0, 3), forks: [point('f', fork)] });
    await opened.store.commit([slice('f', [advanced('f', 3, 1, { savedState: at(2) })])]);
    expect(await load(opened, 'f')).toEqual({ savedState: at(2), tail: events('f', 2, 2), forks: [] });
    expect(await load(opened, 'f', 1)).toEqual({ tail: events('f', 0, 1), forks: [point('f', fork)] });
    await opened.store.commit([forked('g', forkOf('f', 1))]);
    expect((await load(opened, 'g'))?.forks).toEqual([point('f', fork), point('g', forkOf('f', 1))]);
  });

  it('starts from a checkpoint of the source, but from none after the cut', async () => {
    const opened = await fresh(factory);
    await opened.store.commit([birth(record('a'), 5, { savedState: at(3) })]);
    await opened.store.commit([slice('a', [advanced('a', 5, 5, { savedState: at(7) })])]);
    await opened.store.commit([
      forked('f', toF, 4),
      forked('exact', forkOf('a', 7)),
      forked('early', forkOf('a', 2)),
    ]);
    await opened.store.commit([forked('g', toG, 1)]);
    const prefix = [...events('a', 3, 3), ...events('f', 6, 2)];
    expect(await load(opened, 'f')).toEqual({
      savedState: at(3),
      tail: [...prefix, ...events('f', 8, 2)],
      forks: [point('f', toF)],
    });
    expect(await load(opened, 'g')).toEqual({
      savedState: at(3),
      tail: [...prefix, ...events('g', 8, 1)],
      forks: [point('f', toF), point('g', toG)],
    });
    expect(await load(opened, 'exact')).toEqual({
      savedState: at(7),
      tail: [],
      forks: [point('exact', forkOf('a', 7))],
    });
    expect(await load(opened, 'early')).toEqual({
      tail: events('a', 0, 2),
      forks: [point('early', forkOf('a', 2))],
    });
  });

  it('starts from a checkpoint of the fork, which has its fork point behind it', async () => {
    const opened = await fresh(factory);
    await opened.store.commit([birth(record('a'), 10, { savedState: at(5) })]);
    await opened.store.commit([forked('f', toF, 3, { savedState: at(7) })]);
    await opened.store.commit([forked('g', toG, 1), forked('h', toF, 1, { savedState: at(6) })]);
    expect(await load(opened, 'f')).toEqual({ savedState: at(7), tail: events('f', 7, 2), forks: [] });
    expect(await load(opened, 'g')).toEqual({
      savedState: at(7),
      tail: [...events('f', 7, 1), ...events('g', 8, 1)],
      forks: [point('g', toG)],
    });
    expect(await load(opened, 'h')).toEqual({ savedState: at(6), tail: events('h', 6, 1), forks: [] });
  });

  it('loads the state of a fork before any event, also one that it only inherited', async () => {
    const opened = await fresh(factory);
    await opened.store.commit([birth(record('a'), 10, { savedState: at(4) })]);
    await opened.store.commit([forked('f', toF, 4, { savedState: at(9) })]);
    expect(await load(opened, 'f', 3)).toEqual({ tail: events('a', 0, 3), forks: [] });
    expect(await load(opened, 'f', 5)).toEqual({ savedState: at(4), tail: events('a', 4, 1), forks: [] });
    expect(await load(opened, 'f', 6)).toEqual({
      savedState: at(4),
      tail: events('a', 4, 2),
      forks: [point('f', toF)],
    });
    expect(await load(opened, 'f', 8)).toEqual({
      savedState: at(4),
      tail: [...events('a', 4, 2), ...events('f', 6, 2)],
      forks: [point('f', toF)],
    });
    expect(await load(opened, 'f', 9)).toEqual({ savedState: at(9), tail: [], forks: [] });
  });

  it('loads a fork after it is closed and opened again', async () => {
    const first = await fresh(factory);
    await first.store.commit([birth(record('a'), 10), forked('f', toF, 2)]);
    const before = await load(first, 'f');
    expect(await load(await first.reopen(), 'f')).toEqual(before);
  });
}
