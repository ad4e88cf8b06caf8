import { expect, it } from 'vitest';
import type {
  AuditStore,
  ChainLeaf,
  ErasureRecord,
  MakeCheckpoint,
  SignedCheckpoint,
} from '../../../engine/src/ports/audit.ts';
import { contents, find, forget, layers, memorySlice, write } from './example-memory.ts';
import {
  advanced,
  birth,
  childRecord,
  created,
  forked,
  forkOf,
  record,
  slice,
  T0,
} from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const checkpoint = (number: number): SignedCheckpoint => ({
  number,
  sequence: number,
  at: T0 + number,
  digest: `digest ${number}`,
  keyId: 'key',
  signature: `signature ${number}`,
});

/** Signs these leaves, or all that the store hands over. */
const signing =
  (number: number, leaves?: readonly ChainLeaf[]): MakeCheckpoint =>
  (_before, found) => ({ checkpoint: checkpoint(number), leaves: leaves ?? found });

/** The arguments with which the store asks for a checkpoint. Nothing is signed. */
async function asked({ sign }: Pick<AuditStore, 'sign'>): Promise<Parameters<MakeCheckpoint>> {
  const calls: Parameters<MakeCheckpoint>[] = [];
  const more = await sign((...given) => {
    calls.push(given);
    return undefined;
  });
  expect([more, calls.length]).toEqual([false, 1]);
  return calls[0] as Parameters<MakeCheckpoint>;
}

const leaf = (runId: string, head: number, link = `link ${head}`) => ({ runId, head, link });

const erasure = (runId: string, links: readonly string[], from = 0): ErasureRecord => ({
  runId,
  at: T0 + 50,
  by: 'ada',
  reason: 'asked to',
  from,
  links,
  remains: 'remains',
  keyId: 'key',
  signature: 'signature',
});

const ended = { status: 'completed', chain: 'link' } as const;

export function auditContract(factory: StoreFactory): void {
  it('keeps checkpoints with their leaves in the order they came in, and each run with those about it', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      birth(record('a'), 2, { chain: 'link 2' }),
      birth(record('b'), 1, { chain: 'link 1' }),
    ]);
    expect((await asked(store))[0]).toEqual({ number: 0 });
    await store.sign(signing(1, [leaf('b', 1), leaf('a', 2)]));
    await store.commit([slice('a', [advanced('a', 2, 2, { chain: 'link 4' })])]);
    await store.sign(signing(2, [leaf('a', 4)]));
    expect((await asked(store))[0]).toEqual({ number: 2, newest: checkpoint(2) });
    expect(await reads.newestCheckpoint()).toEqual(checkpoint(2));
    expect(await reads.checkpoints(1, 10)).toEqual([
      { ...checkpoint(1), leaves: [leaf('b', 1), leaf('a', 2)] },
      { ...checkpoint(2), leaves: [leaf('a', 4)] },
    ]);
    expect(await reads.checkpoints(2, 10)).toHaveLength(1);
    expect(await reads.checkpoints(1, 1)).toHaveLength(1);
    expect(await reads.chainRecord('a')).toMatchObject({
      row: { runId: 'a', head: 4, chain: 'link 4' },
      leaves: [
        { ...leaf('a', 2), checkpoint: 1 },
        { ...leaf('a', 4), checkpoint: 2 },
      ],
      marks: [],
    });
    expect(await reads.chainRecord('a', 'other')).toBeUndefined();
    expect(await reads.chainRecord('nobody')).toBeUndefined();
  });

  it('keeps the place of a checkpoint in the audit log', async () => {
    const { store, reads } = await fresh(factory);
    expect(await reads.newestCheckpoint()).toBeUndefined();
    const placed = { ...checkpoint(1), sequence: 7 };
    await store.sign(() => ({ checkpoint: placed, leaves: [] }));
    expect((await asked(store))[0]).toEqual({ number: 1, newest: placed });
    expect(await reads.newestCheckpoint()).toEqual(placed);
    expect(await reads.checkpoints(1, 1)).toEqual([{ ...placed, leaves: [] }]);
  });

  it('hands over the runs that moved since the last checkpoint, and no others', async () => {
    const { store, reopen } = await fresh(factory);
    expect((await asked(store))[1]).toEqual([]);
    await store.commit([
      birth(record('a'), 2, { chain: 'link 2' }),
      birth(record('b'), 1, { chain: 'link 1' }),
    ]);
    const [, moved] = await asked(store);
    expect(moved).toHaveLength(2);
    expect(moved).toEqual(expect.arrayContaining([leaf('a', 2), leaf('b', 1)]));
    await store.sign(signing(1));
    expect((await asked(store))[1]).toEqual([]);
    await store.commit([slice('b', [advanced('b', 1, 1, { chain: 'link 2' })])]);
    const again = await reopen();
    expect((await asked(again.store))[1]).toEqual([leaf('b', 2)]);
    await again.store.commit([slice('b', [advanced('b', 2, 1, { chain: 'link 3' })])]);
    for (let number = 2; await again.store.sign(signing(number)); number += 1);
    expect((await asked(again.store))[1]).toEqual([]);
    expect((await again.reads.checkpoints(2, 10)).flatMap(({ leaves }) => leaves)).toEqual([leaf('b', 3)]);
  });

  it('asks for a checkpoint also when all events are covered', async () => {
    const { store, reads } = await fresh(factory);
    expect(await store.sign(signing(1))).toBe(false);
    expect(await reads.checkpoints(1, 10)).toEqual([{ ...checkpoint(1), leaves: [] }]);
  });

  it('keeps a checkpoint whole or not at all', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 1, { chain: 'link 1' })]);
    await expect(store.sign(signing(1, [leaf('a', 1), leaf('nobody', 1)]))).rejects.toThrow('nobody');
    expect(await reads.checkpoints(1, 10)).toEqual([]);
    expect((await reads.chainRecord('a'))?.leaves).toEqual([]);
  });

  it('files events with their sequences and places, of the run alone', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 3, ended)]);
    await store.commit([forked('f', forkOf('a', 2), 2)]);
    expect((await reads.filedEvents('a', 1, 10)).map(({ sequence }) => sequence)).toEqual([1, 2]);
    const own = await reads.filedEvents('f', 0, 10);
    expect(own.map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(own[0]?.place).toBeGreaterThan((await reads.filedEvents('a', 1, 1))[0]?.place ?? 0);
    expect(await reads.filedEvents('a', 0, 2)).toHaveLength(2);
  });

  it('lists runs in the order they were made, of one tenant or of all', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a')), birth(record('x', { tenant: 'other' })), birth(record('b'))]);
    const ids = async (tenant?: string) => (await reads.runsInOrder(0, 10, tenant)).map(({ runId }) => runId);
    expect([await ids(), await ids('acme'), await ids('other'), await ids('nobody')]).toEqual([
      ['a', 'x', 'b'],
      ['a', 'b'],
      ['x'],
      [],
    ]);
    const [first] = await reads.runsInOrder(0, 1);
    expect(await reads.runsInOrder(first?.number ?? 0, 1)).toMatchObject([{ runId: 'x' }]);
  });

  it('erases texts, states and late outcomes of a run, marks it, and keeps the record', async () => {
    const { store, reads } = await fresh(factory);
    const state = { sequence: 1, foldVersion: 1, state: '{"secret":1}', chain: 'link 1' };
    await store.commit([
      birth(record('a', { tags: ['personal'] }), 2, { ...ended, savedState: state }),
      slice('a', [], { lateOutcome: { key: 'k', runId: 'a', outcome: 'secret', at: T0 } }),
    ]);
    await store.eraseRun(erasure('a', ['one', 'two']), ['erased 0', 'erased 1']);
    await store.wipeTraces();
    expect(await reads.events('acme', 'a', 0, 10)).toEqual(['erased 0', 'erased 1']);
    const kept = await reads.chainRecord('a');
    expect(kept).toMatchObject({ marks: [], erasure: erasure('a', ['one', 'two']) });
    expect(kept?.row).toMatchObject({ erasedAt: T0 + 50, tags: [], chain: 'link', status: 'completed' });
  });

  it('leaves a run that is erased already as it is', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 1, ended)]);
    await store.eraseRun(erasure('a', ['one']), ['erased first']);
    await store.eraseRun({ ...erasure('a', ['two']), by: 'another' }, ['erased again']);
    expect(await reads.events('acme', 'a', 0, 10)).toEqual(['erased first']);
    expect(await reads.chainRecord('a')).toMatchObject({ erasure: erasure('a', ['one']) });
  });

  it('erases nothing of a tree that was forked meanwhile, until the fork is erased', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 3, ended)]);
    await store.commit([forked('f', forkOf('a', 2), 1, ended)]);
    expect(await store.eraseRun(erasure('a', ['1', '2', '3']), ['x', 'x', 'x'])).toBe(false);
    expect(await reads.events('acme', 'a', 0, 10)).not.toContain('x');
    expect(await store.hasErasedRun('a')).toBe(false);
    expect(await store.eraseRun(erasure('f', ['3'], 2), ['x'])).toBe(true);
    expect(await store.eraseRun(erasure('a', ['1', '2', '3']), ['x', 'x', 'x'])).toBe(true);
    expect(await reads.events('acme', 'a', 0, 10)).toEqual(['x', 'x', 'x']);
  });

  it.each([0, 2])('refuses a fork at %i of a run that was erased', async (fromSeq) => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'), 3, ended)]);
    await store.eraseRun(erasure('a', ['one', 'two', 'three']), ['erased', 'erased', 'erased']);
    expect(await store.commit([forked('f', forkOf('a', fromSeq), 1)])).toEqual(['conflict']);
  });

  it('refuses a fork of a tree of which a run was erased', async () => {
    const { store } = await fresh(factory);
    const tree = (rootId: string) =>
      slice(rootId, [
        created(record(rootId), 3, ended),
        created(childRecord(`${rootId}.1`, rootId), 1, ended),
      ]);
    await store.commit([tree('a'), tree('b')]);
    expect(await store.hasErasedRun('a')).toBe(false);
    await store.eraseRun(erasure('a.1', ['one']), ['erased']);
    expect([await store.hasErasedRun('a'), await store.hasErasedRun('b')]).toEqual([true, false]);
    expect(await store.commit([forked('f', forkOf('a', 2), 1)])).toEqual(['conflict']);
    expect(await store.commit([forked('g', forkOf('b', 2), 1)])).toEqual(['committed']);
  });

  it('empties what the erased run has remembered, wherever it is, and nothing else', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 1, ended), birth(record('b'), 1, ended)]);
    await store.commit([
      memorySlice(
        write('run:a', 1, 'own', { content: 'secret own', tags: ['t'] }),
        write('scope:s', 1, 'shared', { content: 'secret shared', tags: ['t'] }),
        write('scope:s', 2, 'of-b', { content: 'open', tags: ['t'], by: { runId: 'b' } }),
        forget('run:a', 2, 'gone'),
      ),
    ]);
    await store.eraseRun(erasure('a', ['one']), ['erased']);
    await store.eraseShared('acme', 'a');
    const view = layers(['run:a', 2], ['scope:s', 2]);
    expect((await contents(reads, view)).sort()).toEqual(['', '', 'open']);
    expect(await contents(reads, view, { text: 'secret' })).toEqual([]);
    expect(await contents(reads, view, { text: 'open' })).toEqual(['open']);
    expect((await find(reads, view, { tag: 't' })).map(({ id }) => id)).toEqual(['of-b']);
  });

  it('knows a tree with everything in it, and who holds the same', async () => {
    const { store } = await fresh(factory);
    await store.commit([
      slice('a', [
        created(record('a'), 3, ended),
        created(childRecord('a.1', 'a'), 1, ended),
        created(childRecord('a.1.1', 'a.1'), 1, ended),
      ]),
      birth(record('b'), 1, ended),
    ]);
    expect((await store.treeOf('a')).map(({ runId }) => runId)).toEqual(['a', 'a.1', 'a.1.1']);
    expect(await store.forksOf('a')).toEqual([]);
    await store.commit([forked('f', forkOf('a', 2), 1, ended)]);
    await store.commit([forked('g', forkOf('a', 0), 1)]);
    expect([...(await store.forksOf('a'))].sort()).toEqual(['f', 'g']);
    await store.eraseRun(erasure('f', ['one'], 2), ['erased']);
    await store.commit([slice('g', [advanced('g', 1, 1, { status: 'completed' })])]);
    expect(await store.forksOf('a')).toEqual(['g']);
    await store.eraseRun(erasure('g', ['one', 'two'], 0), ['erased', 'erased']);
    expect(await store.forksOf('a')).toEqual([]);
  });

  it.each(['scope:s', 'run:s'])('gives the history of %s up to a version', async (scope) => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      memorySlice(
        write(scope, 1, 'x', { tags: ['t'], expiresAt: T0 + 99_999 }),
        write(scope, 2, 'x', { tags: ['u'], contentType: 'text/plain' }),
        write(scope, 3, 'y'),
        forget(scope, 4, 'y'),
        write(scope, 5, 'z'),
      ),
    ]);
    const entry = { deleted: false, tags: [], by: expect.anything(), createdAt: expect.any(Number) };
    expect(await reads.scopeHistory('acme', scope, 4)).toMatchObject({
      scope,
      version: 4,
      entries: [
        { ...entry, id: 'x', version: 1, ended: 2, revision: 1, tags: ['t'], expiresAt: T0 + 99_999 },
        { ...entry, id: 'x', version: 2, revision: 2, tags: ['u'], contentType: 'text/plain' },
        { ...entry, id: 'y', version: 3, ended: 4, revision: 1 },
        { ...entry, id: 'y', version: 4, deleted: true },
      ],
    });
    expect(await reads.scopeHistory('other', scope, 4)).toBeUndefined();
  });
}
