import { expect, it } from 'vitest';
import type { StoreChange } from '../../../engine/src/ports/changes.ts';
import type { Store } from '../../../engine/src/ports/store.ts';
import { memorySlice, write } from './example-memory.ts';
import { birth, childRecord, created, record, slice, T0 } from './example-slices.ts';
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

  it('tells of keys that were stored or revoked', async () => {
    const { store } = await fresh(factory);
    const { heard } = hearing(store);
    const key = { id: 'k', hash: 'h', tenant: 'acme', principal: 'ada', scopes: [], createdAt: T0 };
    await store.putKey(key);
    await store.revokeKey('k', T0);
    await store.revokeKey('k', T0);
    await store.revokeKey('unknown', T0);
    const change = { kind: 'key', id: 'k' };
    expect(heard).toEqual([change, change]);
  });

  it('tells of peers that were stored or removed', async () => {
    const { store } = await fresh(factory);
    const { heard } = hearing(store);
    const peer = {
      name: 'p',
      url: 'https://p.example',
      kind: 'a2a',
      tenant: 'peer-p',
      publishes: [],
    } as const;
    await store.putPeer({ ...peer, createdAt: T0 });
    await store.removePeer('p');
    await store.removePeer('p');
    const change = { kind: 'peer', name: 'p' };
    expect(heard).toEqual([change, change]);
  });

  it('tells of secrets that were set or deleted, and not of new encryptions of the same values', async () => {
    const { store } = await fresh(factory);
    const { heard } = hearing(store);
    const secret = { tenant: 'acme', name: 's', jwe: 'one', updatedAt: T0 };
    await store.putSecret(secret, 1);
    await store.putSecret({ ...secret, name: 'another' }, 1);
    await store.rewrapSecrets([{ tenant: 'acme', name: 's', from: 'one', to: 'two' }]);
    await store.deleteSecret('acme', 's');
    await store.deleteSecret('acme', 's');
    const change = { kind: 'secret', tenant: 'acme', name: 's' };
    expect(heard).toEqual([change, change]);
  });

  it('tells of logs that were erased or purged, and not of logs that are kept', async () => {
    const { store } = await fresh(factory);
    const ended = { status: 'completed', at: T0 } as const;
    const tree = (id: string) =>
      slice(id, [created(record(id), 1, ended), created(childRecord(`${id}.1`, id), 1, ended)]);
    await store.commit([tree('a'), tree('b'), birth(record('c'))]);
    const { heard } = hearing(store);
    await store.eraseRun(
      {
        runId: 'a.1',
        at: T0,
        by: 'ada',
        reason: '',
        from: 0,
        links: [],
        remains: '',
        keyId: '',
        signature: '',
      },
      ['erased'],
    );
    expect(heard).toEqual([{ kind: 'log', runId: 'a.1' }]);
    await store.purgeTrees(T0 + 1, 9);
    const told = heard.map((change) => (change.kind === 'log' ? change.runId : change));
    expect(told.slice(1).sort()).toEqual(['a', 'a.1', 'b', 'b.1']);
  });

  it('tells a listener nothing more after it has ended', async () => {
    const { store } = await fresh(factory);
    const { heard, end } = hearing(store);
    end();
    await store.putWorkflow(workflow('one'));
    expect(heard).toEqual([]);
  });
}
