import { expect, it } from 'vitest';
import type { StoreChange } from '../changes.ts';
import type { Store } from '../store.ts';
import { memorySlice, write } from './example-memory.ts';
import { birth, record, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

function hearing(store: Store) {
  const heard: StoreChange[] = [];
  const end = store.changes((change) => void heard.push(change));
  return { heard, end };
}

const workflow = (digest: string) => ({
  tenant: 'acme',
  id: 'w',
  digest,
  definition: '{}',
  createdAt: T0,
});

export function changeFeedContract(factory: StoreFactory): void {
  it('tells of new versions of workflows, and not of a registration that changes nothing', async () => {
    const { store } = await fresh(factory);
    const { heard } = hearing(store);
    for (const digest of ['one', 'one', 'two']) await store.putWorkflow(workflow(digest));
    const change = { kind: 'workflow', tenant: 'acme', id: 'w' };
    expect(heard).toEqual([change, change]);
  });

  it('tells of memory that changed, and not of slices that were refused', async () => {
    const { store } = await fresh(factory);
    const { heard } = hearing(store);
    await store.commit([birth(record('a')), memorySlice(write('scope:s', 1, 'x'))]);
    expect(await store.commit([memorySlice(write('scope:s', 1, 'x'))])).toEqual(['conflict']);
    expect(heard).toEqual([{ kind: 'scope', tenant: 'acme', scope: 'scope:s' }]);
  });

  it('tells a listener nothing more after it has ended', async () => {
    const { store } = await fresh(factory);
    const { heard, end } = hearing(store);
    end();
    await store.putWorkflow(workflow('one'));
    expect(heard).toEqual([]);
  });
}
