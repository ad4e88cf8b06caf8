import { expect, it } from 'vitest';
import type { RemoteCancel } from '../../../engine/src/ports/peers/remote-cancels.ts';
import { birth, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function remoteCancelContract(factory: StoreFactory): void {
  it('stores the cancels of a slice, and lists them in pages', async () => {
    const { store, reads, reopen } = await fresh(factory);
    const heard: string[] = [];
    store.changes((change) => void heard.push(change.kind === 'remote-cancel' ? change.runId : change.kind));
    await store.commit([birth(record('b')), slice('b', [], { cancels: [cancel('b'), cancel('a')] })]);
    expect(heard).toEqual(['b', 'a']);
    expect(await reads.remoteCancel('b')).toEqual(cancel('b'));
    expect(await reads.remoteCancel('c')).toBeUndefined();
    expect(await reads.remoteCancels(undefined, 1)).toEqual([cancel('a')]);
    expect(await reads.remoteCancels('a', 9)).toEqual([cancel('b')]);
    expect(await (await reopen()).reads.remoteCancels(undefined, 9)).toHaveLength(2);
  });

  it('replaces the cancel of a run, and removes it only as it was told', async () => {
    const { store, reads } = await fresh(factory);
    const known = cancel('a', { task: 'task-1', namedBy: 'id' });
    await store.commit([birth(record('a')), slice('a', [], { cancels: [cancel('a')] })]);
    await store.commit([slice('a', [], { cancels: [known] })]);
    expect(await store.settleRemoteCancel(cancel('a'))).toBe(false);
    expect(await reads.remoteCancel('a')).toEqual(known);
    expect(await store.settleRemoteCancel(known)).toBe(true);
    expect(await reads.remoteCancel('a')).toBeUndefined();
  });

  it('removes the cancel of a run that is purged, and only this', async () => {
    const { store, reads } = await fresh(factory);
    const ended = { status: 'cancelled', at: T0 + 1 } as const;
    await store.commit([birth(record('a'), 1, ended), birth(record('b'), 1, { ...ended, at: T0 + 90 })]);
    await store.commit([slice('a', [], { cancels: [cancel('a'), cancel('b')] })]);
    await store.purgeTrees(T0 + 50, 10);
    expect(await reads.remoteCancels(undefined, 9)).toEqual([cancel('b')]);
  });
}

function cancel(runId: string, more: Partial<RemoteCancel> = {}): RemoteCancel {
  return { runId, peer: 'acme', task: `${runId}/remote/1/1/2`, namedBy: 'key', at: T0, ...more };
}
