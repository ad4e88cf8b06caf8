import { expect, it } from 'vitest';
import type { Store } from '../../../engine/src/ports/store.ts';
import { contents, forget, layers, memorySlice, write } from './example-memory.ts';
import { birth, record, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const SCOPE = 'scope:notes';
const LATER = T0 + 1000;

/** Prunes until no entry is left to remove, and returns how many were removed. */
async function pruneAll(store: Store, before: number, limit = 2): Promise<number> {
  let removed = 0;
  for (let some = 1; some > 0; removed += some) some = await store.pruneMemory(before, limit);
  return removed;
}

export function pruningContract(factory: StoreFactory): void {
  it('removes what was superseded before the time, and says from where on versions can be read', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(...[1, 2, 3, 4, 5].map((version) => write(SCOPE, version, 'x', { tags: ['t'] }))),
      memorySlice(write('workspace:w', 1, 'f'), write('workspace:w', 2, 'f'), write('workspace:w', 3, 'g')),
    ]);
    expect(await pruneAll(store, T0 + 4)).toBe(3);
    expect(await reads.scope('acme', SCOPE)).toEqual({ version: 5, oldest: 3 });
    expect(await store.scope('acme', 'workspace:w')).toEqual({ version: 3, oldest: 2 });
    for (const query of [{}, { id: 'x' }, { tag: 't' }, { text: 'x' }, { prefix: '' }]) {
      expect(await contents(reads, layers([SCOPE, 2]), query)).toEqual([]);
      expect(await contents(reads, layers([SCOPE, 3]), query)).toEqual(['x in 3']);
      expect(await contents(reads, layers([SCOPE, 5]), query)).toEqual(['x in 5']);
    }
    expect(await contents(reads, layers(['workspace:w', 3]))).toEqual(['g in 3', 'f in 2']);
  });

  it('removes as many as it may, and says when there are none left', async () => {
    const { store } = await fresh(factory);
    const scopes = ['scope:a', 'scope:b', 'scope:c'];
    await store.commit(
      scopes.map((scope) => memorySlice(write(scope, 1, 'x'), write(scope, 2, 'x'), write(scope, 3, 'x'))),
    );
    const counts = [];
    for (let call = 0; call < 4; call++) counts.push(await store.pruneMemory(LATER, 4));
    expect(counts).toEqual([4, 2, 0, 0]);
  });

  it('never removes what is merely old', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([memorySlice(write(SCOPE, 1, 'x'), write(SCOPE, 2, 'y', { expiresAt: LATER }))]);
    expect(await pruneAll(store, LATER)).toBe(0);
    expect(await contents(reads, layers([SCOPE, 2]), { now: T0 })).toEqual(['y in 2', 'x in 1']);
  });

  it('removes what had expired or was forgotten before the time', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(
        write(SCOPE, 1, 'x', { expiresAt: T0 + 50, tags: ['t'] }),
        write(SCOPE, 2, 'y'),
        forget(SCOPE, 3, 'y'),
        write(SCOPE, 4, 'z'),
      ),
    ]);
    expect(await pruneAll(store, T0 + 50)).toBe(2);
    expect(await contents(reads, layers([SCOPE, 4]), { now: T0 })).toEqual(['z in 4', 'x in 1']);
    expect(await pruneAll(store, T0 + 51)).toBe(1);
    expect(await contents(reads, layers([SCOPE, 4]), { now: T0 })).toEqual(['z in 4']);
    await store.commit([memorySlice(write(SCOPE, 5, 'x'), write(SCOPE, 6, 'y'))]);
    expect(await contents(reads, layers([SCOPE, 6]))).toEqual(['y in 6', 'x in 5', 'z in 4']);
  });

  it('does not bring back what an expired entry had replaced', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(
        write(SCOPE, 1, 'x', { at: T0 }),
        write(SCOPE, 2, 'x', { at: T0 + 60, expiresAt: T0 + 61 }),
      ),
    ]);
    expect(await store.pruneMemory(T0 + 62, 1)).toBe(1);
    for (const query of [{}, { id: 'x' }])
      expect(await contents(reads, layers([SCOPE, 2]), query)).toEqual([]);
  });

  it('leaves private memory to the purge of its run', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(write('run:a', 1, 'x'), write('run:a', 2, 'x'), forget('run:a', 3, 'y')),
    ]);
    expect(await pruneAll(store, LATER)).toBe(0);
    expect(await contents(reads, layers(['run:a', 1]))).toEqual(['x in 1']);
  });

  it('keeps what was there when the oldest run that is kept began, for that tenant only', async () => {
    const { store, reads } = await fresh(factory);
    const versions = [1, 2, 3, 4];
    await store.commit([
      birth(record('old', { createdAt: T0 + 3 }), 1, { status: 'completed', at: T0 + 9 }),
      birth(record('new', { createdAt: T0 + 50 }), 1),
      memorySlice(...versions.map((version) => write(SCOPE, version, 'x'))),
      memorySlice(...versions.map((version) => write(SCOPE, version, 'x', { tenant: 'other' }))),
    ]);
    expect(await pruneAll(store, LATER)).toBe(1 + 3);
    expect((await reads.scope('acme', SCOPE))?.oldest).toBe(2);
    expect(await contents(reads, layers([SCOPE, 2]))).toEqual(['x in 2']);
    expect((await reads.scope('other', SCOPE))?.oldest).toBe(4);
    await store.purgeTrees(T0 + 10, 10);
    expect(await pruneAll(store, LATER)).toBe(2);
    expect(await contents(reads, layers([SCOPE, 4]))).toEqual(['x in 4']);
  });
}
