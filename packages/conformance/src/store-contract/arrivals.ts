import { expect, it } from 'vitest';
import type { Slice } from '../../../engine/src/ports/store.ts';
import { advanced, childRecord, created, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

/** Trees that are imported in several slices. */

const IMPORTED = { from: 'x', by: 'ada', at: T0 };
const WAITING = { tenant: 'arriving:a', imported: IMPORTED };
const SCOPE = {
  scope: 'scope:imported:a:s',
  version: 1,
  entries: [
    { version: 1, deleted: false, revision: 1, id: 'k', content: 'kept', tags: [], createdAt: T0, by: {} },
  ],
};

const first: Slice = slice('a', [created(record('a', WAITING), 2)], { arrival: { waiting: 'arriving:a' } });
const second: Slice = slice(
  'a',
  [
    advanced('a', 2, 1, { status: 'completed' }),
    created(childRecord('a.1', 'a', WAITING), 1, { status: 'failed' }),
  ],
  { order: [0, 1], arrival: { waiting: 'arriving:a', scopes: [SCOPE] } },
);
const last: Slice = slice('a', [], { arrival: { waiting: 'arriving:a', becomes: 'acme' } });

export function arrivalContract(factory: StoreFactory): void {
  it('shows nothing of a tree before the last slice, and then all of it', async () => {
    const { store, reads } = await fresh(factory);
    for (const part of [first, second]) {
      expect(await store.commit([part])).toEqual(['committed']);
      expect((await reads.runs({ tenant: 'acme', limit: 10 })).items).toEqual([]);
      expect(await reads.scope('acme', SCOPE.scope)).toBeUndefined();
    }
    expect(await store.commit([last])).toEqual(['committed']);
    expect((await reads.runs({ tenant: 'acme', limit: 10 })).items).toMatchObject([
      { runId: 'a.1', parentRunId: 'a', imported: IMPORTED, status: 'failed' },
      { runId: 'a', imported: IMPORTED, status: 'completed', head: 3 },
    ]);
    expect(await reads.scopeHistory('acme', SCOPE.scope, 9)).toEqual(SCOPE);
    expect(await reads.scopes('acme', 'scope:', 10)).toEqual([]);
    expect(await store.arriving()).toEqual([]);
  });

  it('removes what was interrupted, little by little, and keeps the rows for those who signed for them', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([first]);
    await store.commit([second]);
    expect(await store.arriving()).toEqual(['arriving:a']);
    let steps = 0;
    while ((await store.dropArriving('arriving:a', 1)) > 0) steps += 1;
    expect(steps).toBeGreaterThan(4);
    expect(await store.arriving()).toEqual([]);
    expect(await reads.filedEvents('a', 0, 10)).toEqual([]);
    expect(await reads.scopeHistory('arriving:a', SCOPE.scope, 9)).toBeUndefined();
    expect(await store.run('a')).toMatchObject({ status: 'cancelled', purgedAt: T0 + 2 });
    // A writer that does not know of the removal gets a conflict for its next slice.
    expect(await store.commit([last])).toEqual(['conflict']);
    expect(
      await store.commit([slice('a', [advanced('a', 3, 1)], { arrival: { waiting: 'arriving:a' } })]),
    ).toEqual(['conflict']);
  });

  it('purges and erases what came with a tree together with the tree', async () => {
    const { store, reads } = await fresh(factory);
    for (const part of [first, second, last]) await store.commit([part]);
    await store.eraseShared('acme', 'a');
    expect((await reads.scopeHistory('acme', SCOPE.scope, 9))?.entries[0]?.content).toBe('');
    expect(await store.purgeTrees(T0 + 1000, 10)).toBe(1);
    expect(await reads.scopeHistory('acme', SCOPE.scope, 9)).toBeUndefined();
  });

  it('does not purge a tree while it arrives', async () => {
    const { store } = await fresh(factory);
    await store.commit([first]);
    await store.commit([second]);
    expect(await store.purgeTrees(T0 + 1000, 10)).toBe(0);
  });

  it('knows which definitions a tenant has registered', async () => {
    const { store } = await fresh(factory);
    await store.putWorkflow({ tenant: 'acme', id: 'w', digest: 'd', definition: '{}', createdAt: T0 });
    await store.putWorkflow({ tenant: '*', id: 'w', digest: 'e', definition: '{}', createdAt: T0 });
    await store.putWorkflow({ tenant: 'acme', id: 'w', digest: 'f', definition: '{}', createdAt: T0 });
    const known = (tenant: string, digest: string) => store.isRegistered(tenant, 'w', digest);
    expect(await Promise.all(['d', 'e', 'f', 'g'].map((digest) => known('acme', digest)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(await Promise.all([known('other', 'd'), known('other', 'e')])).toEqual([false, true]);
  });
}
