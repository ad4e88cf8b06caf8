import { expect, it } from 'vitest';
import type { MemoryQuery } from '../memory.ts';
import type { StoreReads } from '../store.ts';
import { memorySlice, write } from './example-memory.ts';
import { birth, childRecord, created, interrupt, record, slice } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

/** Every read with arguments from a caller, asked for data of the tenant `acme`. */
const READS: readonly (readonly [string, (reads: StoreReads, tenant: string) => unknown])[] = [
  ['a run', (reads, tenant) => reads.run(tenant, 'a')],
  ['a child', (reads, tenant) => reads.run(tenant, 'a.1')],
  ['a state', (reads, tenant) => reads.stored(tenant, 'a')],
  ['the state of a child', (reads, tenant) => reads.stored(tenant, 'a.1')],
  ['events', (reads, tenant) => reads.events(tenant, 'a', 0, 10)[0]],
  ['events of a child', (reads, tenant) => reads.events(tenant, 'a.1', 0, 10)[0]],
  ['the list of runs', (reads, tenant) => reads.runs({ tenant, limit: 10 }).items[0]],
  ['runs by status', (reads, tenant) => reads.runs({ tenant, status: 'running', limit: 10 }).items[0]],
  [
    'runs by workflow',
    (reads, tenant) => reads.runs({ tenant, workflowId: 'demo.greet', limit: 10 }).items[0],
  ],
  ['runs by tag', (reads, tenant) => reads.runs({ tenant, tag: 'red', limit: 10 }).items[0]],
  ['children of a run', (reads, tenant) => reads.runs({ tenant, parentRunId: 'a', limit: 10 }).items[0]],
  ['the state at an index', (reads, tenant) => reads.storedAt(tenant, 'a', 1)],
  ['a scope', (reads, tenant) => reads.scope(tenant, 'scope:s')],
  ['memory', (reads, tenant) => remembered(reads, tenant, {})],
  ['a memory entry', (reads, tenant) => remembered(reads, tenant, { id: 'k' })],
  ['memory by tag', (reads, tenant) => remembered(reads, tenant, { tag: 'red' })],
  ['memory by prefix', (reads, tenant) => remembered(reads, tenant, { prefix: 'k' })],
  ['memory by its words', (reads, tenant) => remembered(reads, tenant, { text: 'secret' })],
  ['interrupts', (reads, tenant) => reads.interrupts(tenant, 10).items[0]],
  ['a workflow', (reads, tenant) => reads.workflow(tenant, 'mine')],
  ['the list of workflows', (reads, tenant) => reads.workflows(tenant)[0]],
];

function remembered(reads: StoreReads, tenant: string, query: Partial<MemoryQuery>): unknown {
  const view = [{ scope: 'scope:s', version: 1 }];
  return reads.memory({ tenant, view, now: 0, limit: 10, ...query })[0];
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
    expect(read(reads, 'acme')).toBeDefined();
    for (const stranger of ['other', '', '*', 'acm', 'acme ', 'ACME', '%']) {
      expect(read(reads, stranger)).toBeUndefined();
    }
  });

  it('knows whose a run is', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    expect(reads.tenantOf('a')).toBe('acme');
    expect(reads.tenantOf('nobody')).toBeUndefined();
  });

  it('does not list a child under its parent to the tenant of the parent only', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'))]);
    await store.commit([slice('a', [created(childRecord('a.1', 'a', { tenant: 'other' }), 1)])]);
    expect(reads.runs({ tenant: 'acme', parentRunId: 'a', limit: 10 }).items).toEqual([]);
    expect(reads.run('acme', 'a.1')).toBeUndefined();
  });
}
