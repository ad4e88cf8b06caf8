import { expect, it } from 'vitest';
import { FOLD_VERSION } from '../../../engine/src/ports/fold-version.ts';
import { contents, layers, memorySlice, write } from './example-memory.ts';
import { advanced, birth, childRecord, created, interrupt, record, slice, T0 } from './example-slices.ts';
import type { StoreUnderTest } from './under-test.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function reopeningContract(factory: StoreFactory): void {
  it('leaves nothing behind of a check whether it can be written to', async () => {
    const { store, reads, reopen } = await fresh(factory);
    await store.checkWritable();
    await store.checkWritable();
    expect((await reads.runs({ tenant: '', limit: 10 })).items).toEqual([]);
    expect(await store.replyFor('', '', 'baton:write-probe')).toBeUndefined();
    await (await reopen()).store.checkWritable();
  });

  it('keeps everything when it is closed and opened again', async () => {
    const first = await fresh(factory);
    await fill(first);
    const before = await everything(first);
    const second = await first.reopen();
    expect(await everything(second)).toEqual(before);
    expect(before).toMatchObject({
      modelAnswer: { text: 'one' },
      memory: ['m in 2'],
      memoryBefore: ['m in 1'],
    });
    expect(before.due.items.map(({ rootId }) => rootId)).toEqual(['a']);
  });

  it('goes on with runs that it did not create in this life', async () => {
    const first = await fresh(factory);
    await fill(first);
    const { store, reads } = await first.reopen();
    const results = await store.commit([
      birth(record('b')),
      slice('a', [advanced('a', 3, 1), advanced('a.1', 2, 1), created(childRecord('a.2', 'a'), 1)]),
      slice('a', [advanced('a', 3, 1)]),
    ]);
    expect(results).toEqual(['committed', 'committed', 'conflict']);
    expect(
      (await reads.runs({ tenant: 'acme', limit: 9 })).items.map((run) => [run.runId, run.head]),
    ).toEqual([
      ['a.2', 1],
      ['b', 1],
      ['a.1', 3],
      ['a', 4],
    ]);
  });
}

async function fill({ store }: StoreUnderTest): Promise<void> {
  const checkpoint = { sequence: 2, foldVersion: FOLD_VERSION, state: '{}' };
  const child = created(childRecord('a.1', 'a', { tags: ['x'] }), 2, {
    interruptsOpened: [interrupt('a.1', 'i')],
  });
  await store.commit([
    slice('a', [created(record('a'), 3, { savedState: checkpoint }), child], {
      wake: { at: T0 + 5, unfinished: true },
      modelAnswer: { tenant: 'acme', cacheKey: 'key', answer: { text: 'one' }, at: T0 },
      idempotency: { tenant: 'acme', principal: 'ada', key: 'k', request: 'r', reply: '{}', at: T0 },
    }),
  ]);
  await store.commit([memorySlice(write('scope:x', 1, 'm'), write('scope:x', 2, 'm'))]);
  await store.putWorkflow({ tenant: 'acme', id: 'w', digest: 'd', definition: '{}', createdAt: T0 });
  await store.putKey({ id: 'k', hash: 'h', tenant: 'acme', principal: 'ada', scopes: [], createdAt: T0 });
  await store.putSecret({ tenant: 'acme', name: 's', jwe: 'jwe', updatedAt: T0 }, 9);
  const peer = { name: 'p', url: 'https://p.example', kind: 'a2a', tenant: 'peer-p', publishes: [] } as const;
  await store.putPeer({ ...peer, createdAt: T0 });
}

async function everything({ store, reads }: StoreUnderTest) {
  return {
    runs: await reads.runs({ tenant: 'acme', limit: 10 }),
    tree: await store.loadTree('a'),
    interrupts: await reads.interrupts('acme', 10),
    reply: await store.replyFor('acme', 'ada', 'k'),
    due: await store.due(T0 + 5, 10),
    unfinished: await store.unfinished(),
    workflows: await reads.workflows('acme'),
    keys: await reads.keys(),
    hostId: await reads.hostId(),
    peers: await reads.peers(),
    secrets: await reads.secrets('acme'),
    modelAnswer: await reads.modelAnswer('acme', 'key'),
    memory: await contents(reads, layers(['scope:x', 2])),
    memoryBefore: await contents(reads, layers(['scope:x', 1])),
  };
}
