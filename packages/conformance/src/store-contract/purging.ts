import { expect, it } from 'vitest';
import { FOLD_VERSION } from '../../../engine/src/ports/fold-version.ts';
import type { Slice, Store } from '../../../engine/src/ports/store.ts';
import { contents, layers, memorySlice, write } from './example-memory.ts';
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

/** A tree of three runs that ends at the given time. */
function tree(rootId: string, at: number): Slice {
  const checkpoint = { sequence: 2, foldVersion: FOLD_VERSION, state: '{}' };
  const ended = { status: 'completed', at } as const;
  return slice(rootId, [
    created(record(rootId), 3, { ...ended, savedState: checkpoint }),
    created(childRecord(`${rootId}.1`, rootId), 2, { ...ended, status: 'failed' }),
    created(childRecord(`${rootId}.1.1`, `${rootId}.1`), 2, ended),
  ]);
}

/** Purges one tree at a time until none is left, and returns how many there were. */
async function purgeAll(store: Store, before: number): Promise<number> {
  let purged = 0;
  for (let some = 1; some > 0; purged += some) some = await store.purgeTrees(before, 1);
  return purged;
}

export function purgingContract(factory: StoreFactory): void {
  it('removes events, states and private memory of trees that ended before the time, and keeps their rows', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([tree('a', T0 + 10), tree('b', T0 + 20)]);
    await store.commit([
      memorySlice(
        write('run:a', 1, 'x'),
        write('run:a.1.1', 1, 'x', { tags: ['t'] }),
        write('run:b', 1, 'x'),
      ),
    ]);
    const row = await reads.run('acme', 'a');
    expect(await purgeAll(store, T0 + 20)).toBe(1);
    for (const runId of ['a', 'a.1', 'a.1.1']) {
      expect(await reads.events('acme', runId, 0, 9)).toEqual([]);
      expect(await reads.stored('acme', runId)).toBeUndefined();
      expect(await reads.storedAt('acme', runId, 1)).toBeUndefined();
      expect(await store.storedRun(runId)).toBeUndefined();
      expect(await store.placedEvents(runId, 0, 9)).toEqual([]);
      expect(await store.headAt(runId, Number.MAX_SAFE_INTEGER)).toBe(0);
      expect(await reads.scope('acme', `run:${runId}`)).toBeUndefined();
      expect(await contents(reads, layers([`run:${runId}`, 1]))).toEqual([]);
    }
    expect(await reads.run('acme', 'a')).toEqual({ ...row, purgedAt: T0 + 20 });
    expect(await reads.events('acme', 'b.1', 0, 9)).toEqual(events('b.1', 0, 2));
    expect((await reads.stored('acme', 'b'))?.savedState?.sequence).toBe(2);
    expect(await contents(reads, layers(['run:b', 1]))).toEqual(['x in 1']);
    expect(await reads.run('acme', 'b')).not.toHaveProperty('purgedAt');
  });

  it('removes as many trees as it may, of any tenant, and says when there are none left', async () => {
    const { store, reads } = await fresh(factory);
    const ended = { status: 'completed' } as const;
    const tenants = ['acme', 'acme', 'other', 'third', 'acme'];
    await store.commit(tenants.map((tenant, index) => birth(record(`r${index}`, { tenant }), 1, ended)));
    const counts = [];
    for (let call = 0; call < 4; call++) counts.push(await store.purgeTrees(T0 + 1, 2));
    expect(counts).toEqual([2, 2, 1, 0]);
    const rows = await Promise.all(tenants.map((tenant, index) => reads.run(tenant, `r${index}`)));
    expect(rows.map((row) => row?.purgedAt)).toEqual(tenants.map(() => T0 + 1));
  });

  it('does not touch what shares a scope, nor a tree that has not ended as a whole', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      birth(record('live'), 2),
      slice('half', [
        created(record('half'), 2, { status: 'completed' }),
        created(childRecord('half.1', 'half'), 2),
      ]),
      birth(record('done'), 2, { status: 'cancelled' }),
    ]);
    await store.commit([memorySlice(write('scope:s', 1, 'x', { by: { runId: 'done' } }))]);
    expect(await purgeAll(store, T0 + 999)).toBe(1);
    expect(await reads.events('acme', 'live', 0, 9)).toHaveLength(2);
    expect(await reads.events('acme', 'half', 0, 9)).toHaveLength(2);
    expect(await contents(reads, layers(['scope:s', 1]))).toEqual(['x in 1']);
    await store.commit([slice('half', [advanced('half.1', 2, 1, { status: 'completed' })])]);
    expect(await purgeAll(store, T0 + 999)).toBe(1);
  });

  it('keeps a tree for as long as a fork that is kept begins in it', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([tree('a', T0 + 10)]);
    const ended = { status: 'completed', at: T0 + 30 } as const;
    const child = childRecord('f.1', 'f', { fork: forkOf('a.1', 1) });
    await store.commit([
      slice('f', [
        advanced('f', 0, 1, { created: record('f', { fork: forkOf('a', 0) }), ...ended }),
        advanced('f.1', 1, 1, { created: child, ...ended }),
      ]),
      forked('g', forkOf('a', 2), 2, { status: 'completed', at: T0 + 140 }),
    ]);
    expect(await purgeAll(store, T0 + 30)).toBe(0);
    expect(await purgeAll(store, T0 + 140)).toBe(1);
    expect(await reads.events('acme', 'f.1', 0, 9)).toEqual([]);
    expect(await reads.events('acme', 'g', 0, 9)).toEqual([...events('a', 0, 2), ...events('g', 2, 2)]);
    expect(await purgeAll(store, T0 + 141)).toBe(2);
    expect((await reads.run('acme', 'a'))?.purgedAt).toBe(T0 + 141);
  });

  it('keeps a tree that a run which has not ended was forked from', async () => {
    const { store } = await fresh(factory);
    await store.commit([tree('a', T0 + 10), forked('f', forkOf('a', 0, { mode: 'replay' }), 1)]);
    expect(await purgeAll(store, T0 + 999)).toBe(0);
    await store.commit([slice('f', [advanced('f', 1, 1, { status: 'completed', at: T0 + 5000 })])]);
    expect(await purgeAll(store, T0 + 999)).toBe(1);
  });

  it('refuses to fork what was purged', async () => {
    const { store } = await fresh(factory);
    await store.commit([tree('a', T0 + 10)]);
    await purgeAll(store, T0 + 11);
    expect(await store.commit([forked('f', forkOf('a', 2))])).toEqual(['conflict']);
  });

  it('goes on after it is closed in the middle of a pass', async () => {
    const first = await fresh(factory);
    await first.store.commit(['a', 'b', 'c'].map((rootId) => tree(rootId, T0 + 10)));
    expect(await first.store.purgeTrees(T0 + 11, 1)).toBe(1);
    const { store, reads } = await first.reopen();
    expect(await purgeAll(store, T0 + 11)).toBe(2);
    expect(
      (await reads.runs({ tenant: 'acme', limit: 20 })).items.every((row) => row.purgedAt === T0 + 11),
    ).toBe(true);
  });
}
