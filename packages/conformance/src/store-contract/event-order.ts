import { expect, it } from 'vitest';
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
} from './example-slices.ts';
import { fresh, type StoreFactory, type StoreUnderTest } from './under-test.ts';

/** The order of the events of several runs. */
async function inOrder({ store }: StoreUnderTest, ...runIds: readonly string[]): Promise<string[]> {
  const placed = await Promise.all(runIds.map((runId) => store.placedEvents(runId, 0, 100)));
  const sorted = placed.flat().sort((a, b) => a.place - b.place);
  return sorted.map((event) => JSON.parse(event.text).eventId);
}

export function eventOrderContract(factory: StoreFactory): void {
  it('places the events of a slice in the order they happened', async () => {
    const opened = await fresh(factory);
    const runs = [created(record('a'), 4), created(childRecord('a.1', 'a'), 3)];
    await opened.store.commit([slice('a', runs, { order: [0, 0, 1, 0, 1, 1, 0] })]);
    expect(await inOrder(opened, 'a', 'a.1')).toEqual([
      'a:0',
      'a:1',
      'a.1:0',
      'a:2',
      'a.1:1',
      'a.1:2',
      'a:3',
    ]);
    expect(await opened.reads.events('acme', 'a', 0, 9)).toEqual(events('a', 0, 4));
    expect(await opened.reads.events('acme', 'a.1', 0, 9)).toEqual(events('a.1', 0, 3));
  });

  it('places them run by run when the slice does not say, and slice after slice', async () => {
    const opened = await fresh(factory);
    await opened.store.commit([
      slice('a', [created(record('a'), 2), created(childRecord('a.1', 'a'), 1)]),
      slice('a', [advanced('a.1', 1, 1), advanced('a', 2, 1)]),
    ]);
    await opened.store.commit([slice('a', [advanced('a', 3, 1)])]);
    expect(await inOrder(opened, 'a', 'a.1')).toEqual(['a:0', 'a:1', 'a.1:0', 'a.1:1', 'a:2', 'a:3']);
  });

  it('knows how many events each run of a tree had at any place', async () => {
    const opened = await fresh(factory);
    const runs = [created(record('a'), 4), created(childRecord('a.1', 'a'), 3)];
    await opened.store.commit([slice('a', runs, { order: [0, 0, 1, 0, 1, 1, 0] }), birth(record('b'), 5)]);
    const places = [
      ...(await opened.store.placedEvents('a', 0, 9)),
      ...(await opened.store.placedEvents('a.1', 0, 9)),
    ].map((event) => event.place);
    const heads = [];
    for (const place of places.sort((x, y) => x - y)) {
      heads.push([await opened.store.headAt('a', place), await opened.store.headAt('a.1', place)]);
    }
    expect(heads).toEqual([
      [1, 0],
      [2, 0],
      [2, 1],
      [3, 1],
      [3, 2],
      [3, 3],
      [4, 3],
    ]);
    expect(await opened.store.headAt('a', 0)).toBe(0);
    expect(await opened.store.headAt('a', Number.MAX_SAFE_INTEGER)).toBe(4);
    expect(await opened.store.headAt('nobody', 5)).toBe(0);
  });

  it('counts the places of each tree from 1, and those of a fork from its cut', async () => {
    const { store, reads } = await fresh(factory);
    expect(await store.newestPlace('a')).toBe(0);
    await store.commit([birth(record('a'), 2), birth(record('b'), 3)]);
    await store.commit([slice('a', [created(childRecord('a.1', 'a'), 1), advanced('a', 2, 1)])]);
    const placesOf = async (runId: string) =>
      (await store.placedEvents(runId, 0, 9)).map(({ place }) => place);
    expect(await placesOf('a')).toEqual([1, 2, 4]);
    expect(await placesOf('a.1')).toEqual([3]);
    expect(await placesOf('b')).toEqual([1, 2, 3]);
    await store.commit([{ ...forked('f', forkOf('a', 2), 2), from: 3 }]);
    expect(await placesOf('f')).toEqual([1, 2, 4, 5]);
    for (const runId of ['a', 'a.1', 'b', 'f', 'nobody']) {
      const read = await reads.eventsInTree('acme', runId, 1, 2);
      const placed = (await store.placedEvents(runId, 1, 2)).map(({ place, text }) => ({ place, text }));
      expect(read.map(({ place, text }) => ({ place, text }))).toEqual(placed);
      expect(await reads.lengthAt('acme', runId, 3)).toBe(await store.headAt(runId, 3));
    }
    expect(await Promise.all(['a', 'a.1', 'b', 'f'].map((id) => store.newestPlace(id)))).toEqual([
      4, 0, 3, 5,
    ]);
    expect(await store.loadTree('f')).toMatchObject({ newestPlace: 5, runs: [{ row: { runId: 'f' } }] });
  });

  it('tells of each event whether a step begins with it, and where its step ends', async () => {
    const { store } = await fresh(factory);
    const runs = [created(record('a'), 4), created(childRecord('a.1', 'a'), 2)];
    // a:0 | a:1 a.1:0 a:2 | a.1:1 a:3
    await store.commit([slice('a', runs, { order: [0, 0, 1, 0, 1, 0], steps: [0, 1, 4] })]);
    await store.commit([birth(record('b'), 2)]);
    const stepsOf = async (runId: string) =>
      (await store.placedEvents(runId, 0, 9)).map(({ starts, stepEnd }) => [starts, stepEnd]);
    expect(await stepsOf('a')).toEqual([
      [true, 1],
      [true, 4],
      [false, 4],
      [false, 6],
    ]);
    expect(await stepsOf('a.1')).toEqual([
      [false, 4],
      [true, 6],
    ]);
    // The slice does not say where its steps begin.
    expect(await stepsOf('b')).toEqual([
      [true, 1],
      [true, 2],
    ]);
  });

  it('ends a step at the cut of a fork that was cut within the step', async () => {
    const { store } = await fresh(factory);
    // a:0 | a:1 a:2 a:3, and the fork goes on after a:1.
    await store.commit([slice('a', [created(record('a'), 4)], { steps: [0, 1] })]);
    const own = forked('f', forkOf('a', 2), 3);
    await store.commit([{ ...own, from: 2, steps: [0, 1] }]);
    expect(await store.stepBoundary('a', 2)).toEqual({ sequence: 1, place: 1 });
    expect(await store.stepBoundary('f', 2)).toEqual({ sequence: 2, place: 2 });
    expect(await store.stepBoundary('f', 3)).toEqual({ sequence: 3, place: 3 });
    expect(await store.stepBoundary('f', 4)).toEqual({ sequence: 3, place: 3 });
    expect(await store.stepBoundary('f', 5)).toEqual({ sequence: 5, place: 5 });
  });

  it('finds the last boundary of steps before an index, where steps begin or go on in another run', async () => {
    const { store } = await fresh(factory);
    const runs = [created(record('a'), 6), created(childRecord('a.1', 'a'), 3)];
    // a:0 | a:1 a.1:0 a:2 | a:3 | a.1:1 a:4 a.1:2 | a:5
    await store.commit([slice('a', runs, { order: [0, 0, 1, 0, 0, 1, 0, 1, 0], steps: [0, 1, 4, 5, 8] })]);
    await store.commit([birth(record('b'), 2)]);
    const boundaries = async (runId: string, count: number) => {
      const found: [own: number | undefined, other: number][] = [];
      for (let index = 1; index <= count; index += 1) {
        const cut = await store.stepBoundary(runId, index);
        found.push([cut?.sequence, await store.headAt(runId === 'a' ? 'a.1' : 'a', cut?.place ?? 0)]);
      }
      return found;
    };
    expect(await boundaries('a', 6)).toEqual([
      [1, 0],
      [1, 0],
      [3, 1],
      [4, 1],
      [5, 3],
      [6, 3],
    ]);
    // The indexes 1 and 2 of a.1 mean the same boundary, so both mean the same place of the other run.
    expect(await boundaries('a.1', 3)).toEqual([
      [1, 3],
      [1, 3],
      [3, 5],
    ]);
    expect(await store.stepBoundary('a', 7)).toBeUndefined();
    expect(await store.stepBoundary('nobody', 1)).toBeUndefined();
  });

  it('reads placed events from a sequence on, up to a limit', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'), 10)]);
    const texts = (await store.placedEvents('a', 4, 3)).map((event) => event.text);
    expect(texts).toEqual(events('a', 4, 3));
    expect(await store.placedEvents('nobody', 0, 3)).toEqual([]);
  });

  it.each([[[0, 0, 1]], [[0, 0, 1, 1, 1]], [[0, 0, 1, 2]]])(
    'does not store a slice whose order does not fit its events: %j',
    async (order) => {
      const { store, reads } = await fresh(factory);
      const runs = [created(record('a'), 2), created(childRecord('a.1', 'a'), 2)];
      const refused = { refused: expect.stringMatching(/order/) };
      expect(await store.commit([slice('a', runs, { order })])).toEqual([refused]);
      expect(await reads.run('acme', 'a')).toBeUndefined();
      expect(await store.commit([slice('a', runs)])).toEqual(['committed']);
    },
  );
}
