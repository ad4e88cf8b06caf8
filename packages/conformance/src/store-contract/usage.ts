import { expect, it } from 'vitest';
import { carry, forget, memorySlice, write } from './example-memory.ts';
import { advanced, birth, events, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

/** How many bytes a tenant stores. */

const ENDED = { status: 'completed' } as const;
const LATER = T0 + 1_000_000;
const bytesIn = (texts: readonly string[]) => Buffer.byteLength(texts.join(''));
const ERASURE = {
  runId: 'a',
  at: T0 + 50,
  by: 'ada',
  reason: 'asked to',
  from: 0,
  links: ['one', 'two'],
  remains: 'r',
  keyId: 'k',
  signature: 's',
};

export function usageContract(factory: StoreFactory): void {
  it('counts the bytes of events for the tenant of the run, also after a restart', async () => {
    const { store, reopen } = await fresh(factory);
    expect(await store.bytesOf('acme')).toBe(0);
    await store.commit([birth(record('a'), 3), birth(record('b', { tenant: 'other' }), 1)]);
    const wide = ['{"text":"é😀"}'];
    await store.commit([slice('a', [advanced('a', 3, 1, { events: wide })])]);
    const expected = bytesIn([...events('a', 0, 3), ...wide]);
    expect(await store.bytesOf('acme')).toBe(expected);
    expect(await store.bytesOf('other')).toBe(bytesIn(events('b', 0, 1)));
    const { store: again } = await reopen();
    await again.commit([slice('a', [advanced('a', 4, 1)])]);
    expect(await again.bytesOf('acme')).toBe(expected + bytesIn(events('a', 4, 1)));
  });

  it('counts checkpoints, one that is written again by its new size only', async () => {
    const { store } = await fresh(factory);
    const folded = (state: string) => ({ savedState: { sequence: 1, foldVersion: 1, state } });
    await store.commit([birth(record('a'), 1, folded('12345'))]);
    await store.commit([slice('a', [advanced('a', 1, 0, folded('123'))])]);
    expect(await store.bytesOf('acme')).toBe(bytesIn(events('a', 0, 1)) + 3);
  });

  it('counts entries of memory with their history, and what is carried', async () => {
    const { store } = await fresh(factory);
    const steps: number[] = [];
    for (const change of [
      write('scope:s', 1, 'x', { content: 'x'.repeat(1000) }),
      write('scope:s', 2, 'x', { content: 'x'.repeat(1000) }),
      forget('scope:s', 3, 'x'),
      write('run:a', 1, 'y', { content: 'y'.repeat(500) }),
      carry('scope:s', 4, 'run:a', 1),
    ]) {
      const before = await store.bytesOf('acme');
      await store.commit([memorySlice(change)]);
      steps.push(Math.floor(((await store.bytesOf('acme')) - before) / 500));
    }
    expect(steps).toEqual([2, 2, 0, 1, 1]);
  });

  it('counts a definition once for each tenant that registers it, however often it comes back', async () => {
    const { store } = await fresh(factory);
    const put = (tenant: string, digest: string) =>
      store.putWorkflow({ tenant, id: 'w', digest, definition: digest.repeat(10), createdAt: T0 });
    for (const digest of ['d', 'e', 'd', 'e', 'e']) await put('acme', digest);
    await put('other', 'd');
    expect([await store.bytesOf('acme'), await store.bytesOf('other')]).toEqual([20, 10]);
  });

  it('counts late outcomes and kept answers of models once', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'), 1, ENDED)]);
    const before = await store.bytesOf('acme');
    const lateOutcome = { key: 'k', runId: 'a', outcome: '12345678', at: T0 };
    const modelAnswer = { tenant: 'acme', cacheKey: 'c', answer: '1234', at: T0 };
    for (let time = 0; time < 2; time++) {
      await store.commit([{ rootId: 'a', runs: [], lateOutcome, modelAnswer }]);
      expect(await store.bytesOf('acme')).toBe(before + 10 + 6);
    }
  });

  it('gives back what a purge removes', async () => {
    const { store } = await fresh(factory);
    const checkpoint = { sequence: 1, foldVersion: 1, state: '{}' };
    await store.commit([
      birth(record('a'), 2, { ...ENDED, savedState: checkpoint }),
      birth(record('live'), 1),
    ]);
    const lateOutcome = { key: 'k', runId: 'a', outcome: 'late', at: T0 };
    await store.commit([{ ...memorySlice(write('run:a', 1, 'x', { tags: ['t'] })), lateOutcome }]);
    expect(await store.purgeTrees(LATER, 10)).toBe(1);
    expect(await store.bytesOf('acme')).toBe(bytesIn(events('live', 0, 1)));
  });

  it('gives back what pruning removes from shared memory', async () => {
    const { store } = await fresh(factory);
    await store.commit([memorySlice(write('scope:s', 1, 'x', { content: 'a' }))]);
    const one = await store.bytesOf('acme');
    await store.commit([memorySlice(write('scope:s', 2, 'x', { content: 'b' }))]);
    expect(await store.bytesOf('acme')).toBe(2 * one);
    expect(await store.pruneMemory(LATER, 10)).toBe(1);
    expect(await store.bytesOf('acme')).toBe(one);
  });

  it('gives back what an erasure takes out', async () => {
    const { store } = await fresh(factory);
    const checkpoint = { sequence: 1, foldVersion: 1, state: '{}' };
    await store.commit([birth(record('a'), 2, { ...ENDED, savedState: checkpoint })]);
    const own = write('run:a', 1, 'x', { content: '', tags: [] });
    const told = write('scope:s', 1, 'x', { content: '', tags: [] });
    const emptied = await fresh(factory);
    await emptied.store.commit([birth(record('a'), 2, { ...ENDED, events: ['1', '2'] })]);
    await emptied.store.commit([memorySlice(own, told)]);
    const filled = { content: 'x'.repeat(100), tags: ['t'] };
    const modelAnswer = { tenant: 'acme', cacheKey: 'c', answer: '1234', at: T0 };
    await store.commit([
      { ...memorySlice(write('run:a', 1, 'x', filled), write('scope:s', 1, 'x', filled)), modelAnswer },
    ]);
    await store.eraseShared('acme', 'a');
    await store.eraseRun(ERASURE, ['1', '2']);
    expect(await store.bytesOf('acme')).toBe(await emptied.store.bytesOf('acme'));
  });
}
