import { expect, it } from 'vitest';
import type { MemoryQuery } from '../../../engine/src/ports/memory.ts';
import type { StoreReads } from '../../../engine/src/ports/reads/index.ts';
import { memorySlice, write } from './example-memory.ts';
import { birth, childRecord, created, interrupt, record, slice } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

/** Every read with arguments from a caller, asked for data of the tenant `acme`. */
const READS: readonly (readonly [string, (reads: StoreReads, tenant: string) => Promise<unknown>])[] = [
  ['a run', (reads, tenant) => reads.run(tenant, 'a')],
  ['a child', (reads, tenant) => reads.run(tenant, 'a.1')],
  ['an overview', (reads, tenant) => reads.runOverview(tenant, 'a', 1)],
  ['a view', (reads, tenant) => reads.runView(tenant, 'a', 1)],
  ['a view of a tree', (reads, tenant) => reads.treeView(tenant, 'a', 1, 1)],
  ['a state', (reads, tenant) => reads.stored(tenant, 'a')],
  ['the state of a child', (reads, tenant) => reads.stored(tenant, 'a.1')],
  ['events', async (reads, tenant) => (await reads.events(tenant, 'a', 0, 10))[0]],
  ['events of a child', async (reads, tenant) => (await reads.events(tenant, 'a.1', 0, 10))[0]],
  ['events with places', async (reads, tenant) => (await reads.eventsInTree(tenant, 'a', 0, 10))[0]],
  [
    'the length of a log at a place',
    async (reads, tenant) => (await reads.lengthAt(tenant, 'a', 9)) || undefined,
  ],
  ['a family', (reads, tenant) => reads.runFamily(tenant, 'a', 1)],
  ['the list of runs', async (reads, tenant) => (await reads.runs({ tenant, limit: 10 })).items[0]],
  [
    'runs by status',
    async (reads, tenant) => (await reads.runs({ tenant, statuses: ['running'], limit: 10 })).items[0],
  ],
  [
    'runs by workflow',
    async (reads, tenant) => (await reads.runs({ tenant, workflowId: 'demo.greet', limit: 10 })).items[0],
  ],
  ['runs by tag', async (reads, tenant) => (await reads.runs({ tenant, tag: 'red', limit: 10 })).items[0]],
  [
    'children of a run',
    async (reads, tenant) => (await reads.runs({ tenant, parentRunId: 'a', limit: 10 })).items[0],
  ],
  ['the state at an index', (reads, tenant) => reads.storedAt(tenant, 'a', 1)],
  ['a scope', (reads, tenant) => reads.scope(tenant, 'scope:s')],
  ['the list of scopes', async (reads, tenant) => (await reads.scopes(tenant, 'scope:', 10))[0]],
  ['memory', (reads, tenant) => remembered(reads, tenant, {})],
  ['a memory entry', (reads, tenant) => remembered(reads, tenant, { id: 'k' })],
  ['memory by tag', (reads, tenant) => remembered(reads, tenant, { tag: 'red' })],
  ['memory by prefix', (reads, tenant) => remembered(reads, tenant, { prefix: 'k' })],
  ['memory by its words', (reads, tenant) => remembered(reads, tenant, { text: 'secret' })],
  ['memory that is kept', (reads, tenant) => keptIn(reads, tenant)],
  ['firstInterrupt', (reads, tenant) => reads.firstInterrupt(tenant, 'a')],
  ['interrupts', async (reads, tenant) => (await reads.interrupts(tenant, 10)).items[0]],
  ['a workflow', (reads, tenant) => reads.workflow(tenant, 'mine')],
  ['the workflow of a time', (reads, tenant) => reads.workflowAsOf(tenant, 'mine', Number.MAX_SAFE_INTEGER)],
  ['a secret', (reads, tenant) => reads.secret(tenant, 'key')],
  ['the list of secrets', async (reads, tenant) => (await reads.secrets(tenant))[0]],
  ['the list of workflows', async (reads, tenant) => (await reads.workflows(tenant))[0]],
];

async function remembered(reads: StoreReads, tenant: string, query: Partial<MemoryQuery>): Promise<unknown> {
  const view = [{ scope: 'scope:s', version: 1 }];
  return (await reads.memory({ tenant, view, now: 0, limit: 10, ...query }))[0];
}

async function keptIn(reads: StoreReads, tenant: string): Promise<unknown> {
  return reads.keptMemory({ tenant, view: [{ scope: 'scope:s', version: 1 }], now: 0, limit: 10 });
}

export function tenancyContract(factory: StoreFactory): void {
  it.each(READS)('shows %s to its own tenant and to nobody else', async (_, read) => {
    const { store, reads } = await fresh(factory);
    await store.commit([
      slice('a', [
        created(record('a', { tags: ['red'] }), 1, { interruptsOpened: [interrupt('a', 'i')] }),
        created(childRecord('a.1', 'a', { tags: ['red'] }), 1),
      ]),
      memorySlice(write('scope:s', 1, 'k', { content: 'a secret', tags: ['red'] })),
    ]);
    await store.putWorkflow({ tenant: 'acme', id: 'mine', digest: 'd', definition: '{}', createdAt: 1 });
    await store.putSecret({ tenant: 'acme', name: 'key', jwe: 'e', updatedAt: 1 }, 1);
    expect(await read(reads, 'acme')).toBeDefined();
    for (const stranger of ['other', '', '*', 'acm', 'acme ', 'ACME', '%']) {
      expect(await read(reads, stranger)).toBeUndefined();
    }
  });

  it('knows whose a run is', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    expect(await reads.tenantOf('a')).toBe('acme');
    expect(await reads.tenantOf('nobody')).toBeUndefined();
  });

  it('does not list a child under its parent to the tenant of the parent only', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    await store.commit([slice('a', [created(childRecord('a.1', 'a', { tenant: 'other' }), 1)])]);
    expect((await reads.runs({ tenant: 'acme', parentRunId: 'a', limit: 10 })).items).toEqual([]);
    expect(await reads.run('acme', 'a.1')).toBeUndefined();
  });
}
