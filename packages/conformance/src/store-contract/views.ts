import { expect, it } from 'vitest';
import { memorySlice, write } from './example-memory.ts';
import { birth, childRecord, created, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

/** Answers about a run that consist of several parts, which have to be of one moment. */
export function viewsContract(factory: StoreFactory): void {
  async function family() {
    const opened = await fresh(factory);
    const child = (id: string, parent: string) => created(childRecord(id, parent), 1);
    await opened.store.commit([
      slice('a', [
        created(record('a'), 2),
        child('a.1', 'a'),
        child('a.2', 'a'),
        child('a.1.1', 'a.1'),
        child('a.3', 'a'),
      ]),
      birth(record('b')),
    ]);
    return opened;
  }

  it('gives a run with its newest children, the newest first', async () => {
    const { reads } = await family();
    const overview = await reads.runOverview('acme', 'a', 2);
    expect(overview?.row).toEqual(await reads.run('acme', 'a'));
    expect(overview?.children.map(({ runId }) => runId)).toEqual(['a.3', 'a.2']);
    expect(overview).not.toHaveProperty('hold');
    expect(await reads.runOverview('acme', 'nobody', 2)).toBeUndefined();
  });

  it('adds the hold on the tree, also for a child, unless the run has ended', async () => {
    const { store, reads } = await family();
    await store.commit([slice('a', [created(childRecord('a.4', 'a'), 1, { status: 'completed' })])]);
    await store.holdTrees(['a'], 'stalled', T0 + 1);
    const hold = { at: T0 + 1, reason: 'stalled' };
    expect(await reads.runOverview('acme', 'a', 0)).toMatchObject({ hold });
    expect(await reads.runView('acme', 'a.1', 0)).toMatchObject({ hold });
    expect(await reads.runView('acme', 'a.4', 0)).not.toHaveProperty('hold');
    expect(await reads.runView('acme', 'b', 0)).not.toHaveProperty('hold');
  });

  it('adds the state of the run, which a purged run does not have', async () => {
    const { store, reads } = await family();
    const view = await reads.runView('acme', 'a', 10);
    expect(view).toEqual({
      ...(await reads.runOverview('acme', 'a', 10)),
      stored: await reads.stored('acme', 'a'),
    });
    await store.commit([birth(record('c'), 1, { status: 'completed' })]);
    await store.purgeTrees(T0 + 100, 10);
    expect(await reads.runView('acme', 'c', 10)).toMatchObject({ row: { purgedAt: T0 + 100 }, children: [] });
    expect(await reads.runView('acme', 'c', 10)).not.toHaveProperty('stored');
  });

  it('adds all descendants, parents before their children, and not more than asked for', async () => {
    const { reads } = await family();
    const below = async (runId: string, limit: number) =>
      (await reads.treeView('acme', runId, 1, limit))?.descendants.map((row) => row.runId);
    expect(await below('a', 10)).toEqual(['a.1', 'a.2', 'a.1.1', 'a.3']);
    expect(await below('a', 2)).toHaveLength(2);
    expect(await below('a.1', 10)).toEqual(['a.1.1']);
    expect(await below('b', 10)).toEqual([]);
    expect(await reads.treeView('acme', 'a', 1, 10)).toMatchObject(
      (await reads.runView('acme', 'a', 1)) ?? {},
    );
    expect(await reads.runFamily('acme', 'a', 3)).toEqual({
      row: await reads.run('acme', 'a'),
      descendants: (await reads.treeView('acme', 'a', 0, 3))?.descendants,
    });
  });

  it('gives memory only as long as every layer can be read as it was', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(write('scope:s', 1, 'k', { at: T0 })),
      memorySlice(write('scope:s', 2, 'k', { at: T0 + 1 })),
      memorySlice(write('scope:t', 1, 'l', { at: T0 })),
    ]);
    const view = (version: number) => [
      { scope: 'scope:t', version: 1 },
      { scope: 'scope:s', version },
    ];
    const kept = (version: number) =>
      reads.keptMemory({ tenant: 'acme', view: view(version), now: T0, limit: 10 });
    expect(await kept(1)).toEqual(await reads.memory({ tenant: 'acme', view: view(1), now: T0, limit: 10 }));
    expect(await kept(1)).toHaveLength(2);
    expect(await store.pruneMemory(T0 + 100, 10)).toBe(1);
    expect(await kept(1)).toBeUndefined();
    expect(await kept(2)).toHaveLength(2);
  });

  it('rejects when a read fails, and does not throw', async () => {
    const { reads, reopen } = await family();
    await reopen();
    const failing = [
      () => reads.run('acme', 'a'),
      () => reads.runView('acme', 'a', 1),
      () => reads.stored('acme', 'a'),
      () => reads.events('acme', 'a', 0, 1),
      () => reads.runs({ tenant: 'acme', limit: 1 }),
      () => reads.interrupts('acme', 1),
      () => reads.workflow('acme', 'w'),
      () => reads.definition('d'),
      () => reads.keyByHash('h'),
      () => reads.key('k'),
      () => reads.scope('acme', 's'),
      () => reads.modelAnswer('acme', 'k'),
      () => reads.chainRecord('a'),
      () => reads.scopeBytes('acme', 's', 1),
      () => reads.heldCount(),
    ];
    for (const read of failing) await expect(read()).rejects.toThrow();
  });
}
