import { expect, it } from 'vitest';
import type { IdempotencyRecord } from '../../../engine/src/ports/store.ts';
import { birth, created, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

export function replyContract(factory: StoreFactory): void {
  it('remembers a reply with its request, per tenant', async () => {
    const { store } = await fresh(factory);
    await store.commit([remembering('a', reply('k')), remembering('b', reply('k', { tenant: 'other' }))]);
    expect(await store.replyFor('acme', 'ada', 'k')).toEqual(reply('k'));
    expect(await store.replyFor('other', 'ada', 'k')).toEqual(reply('k', { tenant: 'other' }));
    expect(await store.replyFor('acme', 'ada', 'unknown')).toBeUndefined();
    expect(await store.replyFor('stranger', 'ada', 'k')).toBeUndefined();
  });

  it('takes the same key of another principal for another request', async () => {
    const { store, reads } = await fresh(factory);
    const ofBo = reply('k', { principal: 'bo', request: 'another' });
    expect(await store.commit([remembering('a', reply('k')), remembering('b', ofBo)])).toEqual([
      'committed',
      'committed',
    ]);
    expect(await store.replyFor('acme', 'ada', 'k')).toEqual(reply('k'));
    expect(await store.replyFor('acme', 'bo', 'k')).toEqual(ofBo);
    expect(await store.replyFor('acme', 'cy', 'k')).toBeUndefined();
    expect(await reads.run('acme', 'b')).toBeDefined();
  });

  it('remembers a reply without touching a tree', async () => {
    const { store } = await fresh(factory);
    expect(await store.commit([slice('nobody', [], { idempotency: reply('k') })])).toEqual(['committed']);
    expect(await store.replyFor('acme', 'ada', 'k')).toEqual(reply('k'));
  });

  it('refuses a whole slice whose key already has a reply', async () => {
    const { store, reads } = await fresh(factory);
    const results = await store.commit([
      remembering('a', reply('k')),
      remembering('b', reply('k', { request: 'another' })),
      birth(record('c')),
    ]);
    expect(results).toEqual(['committed', 'conflict', 'committed']);
    expect(await store.replyFor('acme', 'ada', 'k')).toEqual(reply('k'));
    expect(await reads.run('acme', 'b')).toBeUndefined();
  });

  it('forgets replies older than asked, and their keys may be used again', async () => {
    const { store } = await fresh(factory);
    await store.commit([
      remembering('a', reply('old', { at: T0 - 1 })),
      remembering('b', reply('new', { at: T0 })),
    ]);
    await store.pruneReplies(T0);
    expect(await store.replyFor('acme', 'ada', 'old')).toBeUndefined();
    expect(await store.replyFor('acme', 'ada', 'new')).toBeDefined();
    expect(await store.commit([remembering('c', reply('old'))])).toEqual(['committed']);
  });

  it('forgets however many there are', async () => {
    const { store } = await fresh(factory);
    const many = Array.from({ length: 2100 }, (_, n) => slice('', [], { idempotency: reply(`k${n}`) }));
    await store.commit(many);
    await store.pruneReplies(T0 + 1);
    expect(await store.commit(many)).toEqual(many.map(() => 'committed'));
  });
}

function reply(key: string, more: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return {
    tenant: 'acme',
    principal: 'ada',
    key,
    request: 'sha256:1',
    reply: '{"ok":true}',
    at: T0,
    ...more,
  };
}

function remembering(runId: string, idempotency: IdempotencyRecord) {
  return slice(runId, [created(record(runId), 1)], { idempotency });
}
