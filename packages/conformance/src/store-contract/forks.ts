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
  T0,
} from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function forkContract(factory: StoreFactory): void {
  it('begins a fork with the events of its source, and goes on with its own', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 10)]);
    expect(await store.commit([forked('f', forkOf('a', 6), 3)])).toEqual(['committed']);
    await store.commit([slice('f', [advanced('f', 9, 2)]), slice('a', [advanced('a', 10, 5)])]);
    const log = [...events('a', 0, 6), ...events('f', 6, 5)];
    expect(await reads.events('acme', 'f', 0, 100)).toEqual(log);
    expect((await store.placedEvents('f', 0, 100)).map((event) => event.text)).toEqual(log);
    for (const [from, limit] of [
      [0, 6],
      [0, 7],
      [4, 3],
      [5, 1],
      [6, 2],
      [8, 9],
      [11, 1],
    ] as const) {
      expect(await reads.events('acme', 'f', from, limit)).toEqual(log.slice(from, from + limit));
    }
    expect(await reads.events('acme', 'a', 0, 100)).toEqual(events('a', 0, 15));
  });

  it('keeps how a run was forked, and counts its head from the beginning of its log', async () => {
    const { store, reads } = await fresh(factory);
    const fork = forkOf('a', 4, { mode: 'replay', models: 'live', live: ['a.1'] });
    await store.commit([birth(record('a'), 5), forked('f', fork)]);
    const row = {
      ...record('f', { fork, createdAt: T0 + 100 }),
      status: 'running',
      updatedAt: T0 + 4,
      head: 4,
    };
    expect(await reads.run('acme', 'f')).toEqual(row);
    expect(await store.run('f')).toEqual(row);
    expect((await reads.runs({ tenant: 'acme', limit: 1 })).items).toEqual([row]);
    expect(await reads.run('acme', 'a')).not.toHaveProperty('fork');
  });

  it('keeps the link of the chain after the last event', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 2, { chain: 'link1' }), birth(record('b'), 1)]);
    expect((await reads.run('acme', 'a'))?.chain).toBe('link1');
    const wake = { at: null, unfinished: false };
    await store.commit([slice('a', [advanced('a', 2, 1, { chain: 'link2' })])]);
    expect((await reads.run('acme', 'a'))?.chain).toBe('link2');
    await store.commit([slice('a', [advanced('a', 3, 1, { chain: 'link3' })], { wake })]);
    await store.commit([slice('a', [advanced('a', 4, 0)])]);
    expect((await store.run('a'))?.chain).toBe('link3');
    expect(await reads.run('acme', 'b')).not.toHaveProperty('chain');
  });

  it('forks a whole tree in one slice', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([slice('a', [created(record('a'), 5), created(childRecord('a.1', 'a'), 4)])]);
    const child = childRecord('f.1', 'f', { fork: forkOf('a.1', 2) });
    const fork = forkOf('a', 3, { live: ['a.1'] });
    await store.commit([
      slice('f', [
        advanced('f', 3, 1, { created: record('f', { fork }) }),
        advanced('f.1', 2, 1, { created: child }),
      ]),
    ]);
    expect(await reads.events('acme', 'f', 0, 9)).toEqual([...events('a', 0, 3), ...events('f', 3, 1)]);
    expect(await reads.events('acme', 'f.1', 0, 9)).toEqual([...events('a.1', 0, 2), ...events('f.1', 2, 1)]);
    expect((await store.loadTree('f')).runs.map((run) => run.tail.length)).toEqual([4, 3]);
  });

  it('forks a fork after its own events, among those of its source, and right between', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 10), forked('f', forkOf('a', 6), 4)]);
    await store.commit([
      forked('after', forkOf('f', 8), 1),
      forked('between', forkOf('f', 6), 1),
      forked('inside', forkOf('f', 3), 1),
      forked('deep', forkOf('after', 7), 1),
      forked('deeper', forkOf('deep', 2), 1),
    ]);
    const log = (runId: string) => reads.events('acme', runId, 0, 100);
    expect(await log('after')).toEqual([
      ...events('a', 0, 6),
      ...events('f', 6, 2),
      ...events('after', 8, 1),
    ]);
    expect(await log('between')).toEqual([...events('a', 0, 6), ...events('between', 6, 1)]);
    expect(await log('inside')).toEqual([...events('a', 0, 3), ...events('inside', 3, 1)]);
    expect(await log('deep')).toEqual([...events('a', 0, 6), ...events('f', 6, 1), ...events('deep', 7, 1)]);
    expect(await log('deeper')).toEqual([...events('a', 0, 2), ...events('deeper', 2, 1)]);
  });

  it('lets a fork of the very beginning share nothing', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 5), forked('f', forkOf('a', 0), 2)]);
    expect(await reads.events('acme', 'f', 0, 9)).toEqual(events('f', 0, 2));
    expect(await reads.run('acme', 'f')).toMatchObject({ head: 2, fork: forkOf('a', 0) });
  });

  it('refuses a fork of what is not there, or belongs to somebody else', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 5), birth(record('theirs', { tenant: 'other' }), 5)]);
    const impossible = [
      forked('f', forkOf('nobody', 3)),
      forked('f', forkOf('theirs', 3)),
      forked('f', forkOf('a', 6)),
      forked('f', forkOf('a', 3), 1, { expectedHead: 2 }),
      forked('f', forkOf('a', 3), 1, { expectedHead: 0 }),
      birth(record('f'), 1, { expectedHead: 3 }),
    ];
    for (const one of impossible) expect(await store.commit([one])).toEqual(['conflict']);
    expect(await reads.run('acme', 'f')).toBeUndefined();
    expect(await store.commit([forked('f', forkOf('a', 5))])).toEqual(['committed']);
  });

  it('knows how many events a fork had at any place, also before it was one', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'), 10)]);
    await store.commit([forked('f', forkOf('a', 6), 2)]);
    await store.commit([forked('g', forkOf('f', 7), 2)]);
    const places = async (runId: string) =>
      (await store.placedEvents(runId, 0, 99)).map((event) => event.place);
    for (const runId of ['f', 'g']) {
      const heads = [];
      for (const place of await places(runId)) heads.push(await store.headAt(runId, place));
      expect(heads).toEqual((await places(runId)).map((_, index) => index + 1));
    }
    expect(await store.headAt('g', 0)).toBe(0);
  });
}
