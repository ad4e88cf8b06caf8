import { expect, it } from 'vitest';
import { contents, find, forget, layers, memorySlice, write } from './example-memory.ts';
import { advanced, birth, events, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const SCOPE = 'scope:notes';

export function memoryChangeContract(factory: StoreFactory): void {
  it('gives an entry back as it was written', async () => {
    const { store, reads } = await fresh(factory);
    const full = write(SCOPE, 1, 'k', {
      content: 'ünï\u0000cødé "quoted"',
      tags: ['red', 'ünï'],
      expiresAt: T0 + 5000,
      contentType: 'text/plain',
      by: { runId: 'a', nodeId: 'n', agentId: 'scout' },
    });
    const plain = write(SCOPE, 2, 'plain', { by: {} });
    expect(await store.commit([memorySlice(full, plain)])).toEqual(['committed']);
    const expected = [
      {
        id: 'plain',
        content: 'plain in 2',
        tags: [],
        createdAt: T0 + 2,
        scope: SCOPE,
        version: 2,
        revision: 1,
        by: {},
      },
      {
        id: 'k',
        content: 'ünï\u0000cødé "quoted"',
        tags: ['red', 'ünï'],
        createdAt: T0 + 1,
        expiresAt: T0 + 5000,
        contentType: 'text/plain',
        scope: SCOPE,
        version: 1,
        revision: 1,
        by: { runId: 'a', nodeId: 'n', agentId: 'scout' },
      },
    ];
    const view = layers([SCOPE, 2]);
    expect(await find(reads, view)).toEqual(expected);
    expect(await store.memory({ tenant: 'acme', view, now: T0, limit: 9 })).toEqual(expected);
    expect(await find(reads, view, { id: 'k' })).toEqual(expected.slice(1));
  });

  it('counts the versions of each scope from 1', async () => {
    const { store, reads } = await fresh(factory);
    expect(await reads.scope('acme', SCOPE)).toBeUndefined();
    await store.commit([memorySlice(write(SCOPE, 1, 'a'), write('run:a', 1, 'a'), write(SCOPE, 2, 'b'))]);
    expect(await reads.scope('acme', SCOPE)).toEqual({ version: 2, oldest: 0 });
    expect(await store.scope('acme', 'run:a')).toEqual({ version: 1, oldest: 0 });
  });

  it('shows the newest of an entry, and counts its writes', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([memorySlice(write(SCOPE, 1, 'a'), write(SCOPE, 2, 'b'), write(SCOPE, 3, 'a'))]);
    const rows = await find(reads, layers([SCOPE, 3]));
    expect(rows.map((row) => [row.content, row.revision])).toEqual([
      ['a in 3', 2],
      ['b in 2', 1],
    ]);
  });

  it('does not show what was forgotten, and counts anew when it is written again', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(
        write(SCOPE, 1, 'a', { tags: ['t'] }),
        write(SCOPE, 2, 'a', { tags: ['t'] }),
        forget(SCOPE, 3, 'a'),
        forget(SCOPE, 4, 'never there'),
      ),
    ]);
    expect(await find(reads, layers([SCOPE, 4]))).toEqual([]);
    expect(await find(reads, layers([SCOPE, 4]), { id: 'a' })).toEqual([]);
    expect(await find(reads, layers([SCOPE, 4]), { tag: 't' })).toEqual([]);
    await store.commit([memorySlice(write(SCOPE, 5, 'a'))]);
    expect(await find(reads, layers([SCOPE, 5]))).toMatchObject([{ content: 'a in 5', revision: 1 }]);
  });

  it('counts anew when what was there had expired', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([memorySlice(write(SCOPE, 1, 'a', { expiresAt: T0 + 2 }))]);
    await store.commit([memorySlice(write(SCOPE, 2, 'a', { at: T0 + 2 }))]);
    expect((await find(reads, layers([SCOPE, 2])))[0]?.revision).toBe(1);
  });

  it('refuses a change that was computed from another version, with everything else of its slice', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 2), memorySlice(write(SCOPE, 1, 'a'))]);
    for (const version of [1, 3]) {
      const stale = slice('a', [advanced('a', 2, 1)], {
        memory: [write('run:a', 1, 'x'), write(SCOPE, version, 'b')],
      });
      expect(await store.commit([stale])).toEqual(['conflict']);
    }
    expect(await reads.events('acme', 'a', 0, 9)).toEqual(events('a', 0, 2));
    expect(await contents(reads, layers([SCOPE, 9], ['run:a', 9]))).toEqual(['a in 1']);
    expect(await reads.scope('acme', 'run:a')).toBeUndefined();
  });

  it('lets a slice build on the memory of an earlier one of its group', async () => {
    const { store, reads } = await fresh(factory);
    const group = [1, 2, 2, 3].map((version) => memorySlice(write(SCOPE, version, `k${version}`)));
    expect(await store.commit(group)).toEqual(['committed', 'committed', 'conflict', 'committed']);
    expect(await contents(reads, layers([SCOPE, 3]))).toEqual(['k3 in 3', 'k2 in 2', 'k1 in 1']);
  });
}
