import { expect, it } from 'vitest';
import { SHARED_TENANT, type WorkflowRecord } from '../../../engine/src/ports/reads/workflows.ts';
import { T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function workflowContract(factory: StoreFactory): void {
  it('counts versions from 1, each id and tenant for itself', async () => {
    const { store } = await fresh(factory);
    expect(await store.putWorkflow(workflow('acme', 'w', 'd1'))).toEqual({ version: 1, created: true });
    expect(await store.putWorkflow(workflow('acme', 'w', 'd2'))).toEqual({ version: 2, created: true });
    expect(await store.putWorkflow(workflow('acme', 'v', 'd1'))).toEqual({ version: 1, created: true });
    expect(await store.putWorkflow(workflow('other', 'w', 'd1'))).toEqual({ version: 1, created: true });
  });

  it('adds no version for the digest that the newest one has', async () => {
    const { store, reads } = await fresh(factory);
    await store.putWorkflow(workflow('acme', 'w', 'd1'));
    expect(await store.putWorkflow(workflow('acme', 'w', 'd1'))).toEqual({ version: 1, created: false });
    await store.putWorkflow(workflow('acme', 'w', 'd2'));
    expect(await store.putWorkflow(workflow('acme', 'w', 'd1'))).toEqual({ version: 3, created: true });
    expect(await reads.workflow('acme', 'w')).toEqual({ ...workflow('acme', 'w', 'd1'), version: 3 });
  });

  it('finds the newest version, the own one before the shared one', async () => {
    const { store, reads } = await fresh(factory);
    await store.putWorkflow(workflow(SHARED_TENANT, 'w', 'shared1'));
    await store.putWorkflow(workflow(SHARED_TENANT, 'w', 'shared2'));
    expect((await reads.workflow('acme', 'w'))?.digest).toBe('shared2');
    await store.putWorkflow(workflow('acme', 'w', 'own'));
    expect(await reads.workflow('acme', 'w')).toEqual({ ...workflow('acme', 'w', 'own'), version: 1 });
    expect(await store.workflow('acme', 'w')).toEqual(await reads.workflow('acme', 'w'));
    expect((await reads.workflow('other', 'w'))?.digest).toBe('shared2');
    expect(await store.workflow('other', 'nothing')).toBeUndefined();
  });

  it('finds the version of a time, or else the first later one', async () => {
    const { store, reads } = await fresh(factory);
    const at = (digest: string, createdAt: number, tenant = 'acme') =>
      store.putWorkflow({ ...workflow(tenant, 'w', digest), createdAt });
    await at('d1', T0 + 10);
    await at('d2', T0 + 20);
    await at('d3', T0 + 30);
    const found = async (time: number, tenant = 'acme') =>
      (await reads.workflowAsOf(tenant, 'w', T0 + time))?.digest;
    expect(await Promise.all([found(5), found(10), found(25), found(99)])).toEqual(['d1', 'd1', 'd2', 'd3']);
    await at('shared', T0, SHARED_TENANT);
    expect(await found(5)).toBe('d1');
    expect(await found(5, 'other')).toBe('shared');
    expect(await reads.workflowAsOf('other', 'nothing', T0)).toBeUndefined();
  });

  it('lists the versions of the own workflow, or else of the shared one, newest first', async () => {
    const { store, reads } = await fresh(factory);
    for (const [at, digest] of ['s1', 's2', 's3'].entries())
      await store.putWorkflow({ ...workflow(SHARED_TENANT, 'w', digest), createdAt: T0 + at });
    await store.putWorkflow(workflow('acme', 'w', 'own'));
    const listed = async (tenant: string, before = 99, limit = 10) =>
      (await reads.workflowVersions(tenant, 'w', before, limit)).map((one) => one.digest);
    expect(await listed('other')).toEqual(['s3', 's2', 's1']);
    expect(await listed('other', 3)).toEqual(['s2', 's1']);
    expect(await listed('other', 99, 1)).toEqual(['s3']);
    expect(await listed('acme')).toEqual(['own']);
    expect(await reads.workflowVersions('other', 'w', 2, 1)).toEqual([
      { version: 1, digest: 's1', createdAt: T0 },
    ]);
    expect(await reads.workflowVersions('other', 'nothing', 99, 10)).toEqual([]);
  });

  it('finds one version, and none of a shared workflow that the tenant has replaced', async () => {
    const { store, reads } = await fresh(factory);
    await store.putWorkflow(workflow(SHARED_TENANT, 'w', 's1'));
    await store.putWorkflow(workflow(SHARED_TENANT, 'w', 's2'));
    await store.putWorkflow(workflow('acme', 'w', 'own'));
    expect((await reads.workflowVersion('other', 'w', 1))?.definition).toBe('{"digest":"s1"}');
    expect((await reads.workflowVersion('acme', 'w', 1))?.digest).toBe('own');
    expect(await reads.workflowVersion('acme', 'w', 2)).toBeUndefined();
    expect(await reads.workflowVersion('other', 'w', 3)).toBeUndefined();
  });

  it('lists the newest version of each that a tenant may run', async () => {
    const { store, reads } = await fresh(factory);
    await store.putWorkflow(workflow('acme', 'b', 'b1'));
    await store.putWorkflow(workflow('acme', 'b', 'b2'));
    await store.putWorkflow(workflow(SHARED_TENANT, 'b', 'b-shared'));
    await store.putWorkflow(workflow(SHARED_TENANT, 'a', 'a-shared'));
    await store.putWorkflow(workflow('other', 'c', 'c1'));
    const listed = async (tenant: string) =>
      (await reads.workflows(tenant)).map((one) => [one.id, one.digest]);
    expect(await listed('acme')).toEqual([
      ['a', 'a-shared'],
      ['b', 'b2'],
    ]);
    expect(await listed(SHARED_TENANT)).toEqual([
      ['a', 'a-shared'],
      ['b', 'b-shared'],
    ]);
  });

  it('keeps every definition by its digest', async () => {
    const { store, reads } = await fresh(factory);
    await store.putWorkflow(workflow('acme', 'w', 'd1'));
    await store.putWorkflow(workflow('acme', 'w', 'd2'));
    expect(await reads.definition('d1')).toBe('{"digest":"d1"}');
    expect(await reads.definition('d3')).toBeUndefined();
    expect(await store.definition('d1')).toBe('{"digest":"d1"}');
    expect(await store.definition('d2')).toBe('{"digest":"d2"}');
    expect(await store.definition('d3')).toBeUndefined();
  });

  it('remembers the reply to a registration, also when it added nothing', async () => {
    const { store } = await fresh(factory);
    const replying = (key: string) => (version: number) => ({
      tenant: 'acme',
      principal: 'ada',
      key,
      request: 'r',
      reply: `{"version":${version}}`,
      at: T0,
    });
    await store.putWorkflow(workflow('acme', 'w', 'd1'), replying('k1'));
    await store.putWorkflow(workflow('acme', 'w', 'd1'), replying('k2'));
    expect((await store.replyFor('acme', 'ada', 'k1'))?.reply).toBe('{"version":1}');
    expect((await store.replyFor('acme', 'ada', 'k2'))?.reply).toBe('{"version":1}');
  });
}

function workflow(tenant: string, id: string, digest: string): Omit<WorkflowRecord, 'version'> {
  return { tenant, id, digest, definition: JSON.stringify({ digest }), createdAt: T0 };
}
