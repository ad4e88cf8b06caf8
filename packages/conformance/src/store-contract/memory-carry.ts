import { expect, it } from 'vitest';
import { carry, contents, find, forget, layers, memorySlice, write } from './example-memory.ts';
import { T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const CHILD = 'run:a.1';
const PARENT = 'run:a';

export function memoryCarryContract(factory: StoreFactory): void {
  it('carries what is newest of each entry as one version, in the order it was written', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(write(CHILD, 1, 'x'), write(CHILD, 2, 'y'), write(CHILD, 3, 'x'), write(CHILD, 4, 'z')),
      memorySlice(write(PARENT, 1, 'own'), write(PARENT, 2, 'y')),
    ]);
    expect(await store.commit([memorySlice(carry(PARENT, 3, CHILD, 4))])).toEqual(['committed']);
    const rows = await find(reads, layers([PARENT, 3]));
    expect(rows.map((row) => [row.content, row.version])).toEqual([
      ['z in 4', 3],
      ['x in 3', 3],
      ['y in 2', 3],
      ['own in 1', 1],
    ]);
    expect(rows.every((row) => row.scope === PARENT)).toBe(true);
    expect((await reads.scope('acme', PARENT))?.version).toBe(3);
    expect(await contents(reads, layers([PARENT, 2]))).toEqual(['y in 2', 'own in 1']);
  });

  it('keeps when, by whom, for how long and under which tags entries were written', async () => {
    const { store, reads } = await fresh(factory);
    const by = { runId: 'a.1', nodeId: 'n', agentId: 'scout' };
    await store.commit([
      memorySlice(
        write(CHILD, 1, 'x', { tags: ['t'], expiresAt: T0 + 2000, contentType: 'text/markdown', by }),
        carry(PARENT, 1, CHILD, 1, { at: T0 + 500, by: { runId: 'a' } }),
      ),
    ]);
    const [original] = await find(reads, layers([CHILD, 1]));
    expect(await find(reads, layers([PARENT, 1]), { tag: 't' })).toEqual([{ ...original, scope: PARENT }]);
    expect(await find(reads, layers([PARENT, 1]), { text: 'in' })).toHaveLength(1);
    expect(await find(reads, layers([PARENT, 1]), { now: T0 + 2000 })).toEqual([]);
  });

  it('carries up to a version, and nothing that came later', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(
        write(CHILD, 1, 'x'),
        write(CHILD, 2, 'x'),
        write(CHILD, 3, 'y'),
        carry(PARENT, 1, CHILD, 1),
      ),
    ]);
    expect(await contents(reads, layers([PARENT, 1]))).toEqual(['x in 1']);
  });

  it('carries deletions, which also hide what lies below the target', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(
        write('scope:s', 1, 'low'),
        write('scope:s', 2, 'kept'),
        write(PARENT, 1, 'x', { tags: ['t'] }),
      ),
      memorySlice(forget(CHILD, 1, 'x'), forget(CHILD, 2, 'low'), carry(PARENT, 2, CHILD, 2)),
    ]);
    expect(await contents(reads, layers([PARENT, 2], ['scope:s', 2]))).toEqual(['kept in 2']);
    expect(await contents(reads, layers([PARENT, 2]), { tag: 't' })).toEqual([]);
    expect(await contents(reads, layers([PARENT, 1]), { tag: 't' })).toEqual(['x in 1']);
  });

  it('goes on counting the writes of an entry, unless it was forgotten on the way', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(write(PARENT, 1, 'x'), write(PARENT, 2, 'x'), write(PARENT, 3, 'y'), write(PARENT, 4, 'y')),
      memorySlice(write(CHILD, 1, 'x'), write(CHILD, 2, 'y'), forget(CHILD, 3, 'y'), write(CHILD, 4, 'y')),
      memorySlice(carry(PARENT, 5, CHILD, 4)),
    ]);
    const rows = await find(reads, layers([PARENT, 5]));
    expect(rows.map((row) => [row.id, row.revision])).toEqual([
      ['y', 1],
      ['x', 3],
    ]);
  });

  it('makes a version also when there is nothing to carry', async () => {
    const { store, reads } = await fresh(factory);
    expect(await store.commit([memorySlice(carry(PARENT, 1, CHILD, 0))])).toEqual(['committed']);
    expect((await reads.scope('acme', PARENT))?.version).toBe(1);
    expect(await find(reads, layers([PARENT, 1]))).toEqual([]);
  });

  it('refuses to carry a version that the source does not have, or that belongs to somebody else', async () => {
    const { store } = await fresh(factory);
    await store.commit([memorySlice(write(CHILD, 1, 'x'), write('run:b', 1, 'x', { tenant: 'other' }))]);
    expect(await store.commit([memorySlice(carry(PARENT, 1, CHILD, 2))])).toEqual(['conflict']);
    expect(await store.commit([memorySlice(carry(PARENT, 1, 'run:b', 1))])).toEqual(['conflict']);
    expect(await store.scope('acme', PARENT)).toBeUndefined();
  });
}
