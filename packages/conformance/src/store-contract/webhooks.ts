import { expect, it } from 'vitest';
import type { Store } from '../../../engine/src/ports/store.ts';
import type { NewWebhook, SettledDelivery } from '../../../engine/src/ports/webhooks.ts';
import { birth, childRecord, created, forked, forkOf, record, slice, T0 } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const MOST = 3;
const PLACE = { tenant: 'acme', webhookId: 'hook' };

export function webhookContract(factory: StoreFactory): void {
  it('finds a webhook by tenant and id, and lists those of a tenant in the order they were made', async () => {
    const { store, reads } = await fresh(factory);
    await store.putWebhook(webhook('b'), MOST);
    await store.putWebhook(webhook('a', { tags: ['blue'] }), MOST);
    await store.putWebhook(webhook('c', { tenant: 'other' }), MOST);
    expect(await reads.webhook('acme', 'a')).toEqual({
      ...webhook('a', { tags: ['blue'] }),
      ...{ state: 'active', updatedAt: T0, position: 0 },
    });
    expect(await reads.webhook('other', 'a')).toBeUndefined();
    expect((await reads.webhooks('acme')).map(({ webhookId }) => webhookId)).toEqual(['b', 'a']);
    expect((await reads.everyWebhook()).length).toBe(3);
  });

  it('keeps at most as many webhooks of one tenant as it is told', async () => {
    const { store } = await fresh(factory);
    for (const id of ['a', 'b', 'c']) expect(await store.putWebhook(webhook(id), MOST)).toBe(true);
    expect(await store.putWebhook(webhook('d'), MOST)).toBe(false);
    expect(await store.putWebhook(webhook('e', { tenant: 'other' }), MOST)).toBe(true);
  });

  it('changes and deletes a webhook of its tenant only', async () => {
    const { store, reads } = await fresh(factory);
    await store.putWebhook(webhook('hook'), MOST);
    const other = { ...PLACE, tenant: 'other' };
    const keys = { from: 'jwe of hook', to: 'new', fingerprint: 'g', at: T0 + 2 };
    expect(await store.setWebhookState(other, { state: 'paused', at: T0 })).toBe(false);
    expect(await store.setWebhookKeys(other, keys)).toBe(false);
    expect(await store.deleteWebhook(other)).toBe(false);
    expect(await store.setWebhookState(PLACE, { state: 'failed', reason: 'broken', at: T0 + 1 })).toBe(true);
    expect(await reads.webhook('acme', 'hook')).toMatchObject({
      state: 'failed',
      reason: 'broken',
      updatedAt: T0 + 1,
    });
    const principal = (await reads.webhook('acme', 'hook'))?.principal;
    expect(principal).not.toBe('bo');
    await store.setWebhookState(PLACE, { state: 'active', principal: 'bo', at: T0 + 1 });
    expect(await reads.webhook('acme', 'hook')).toMatchObject({ state: 'active', principal: 'bo' });
    expect(await store.setWebhookKeys(PLACE, keys)).toBe(true);
    // Somebody else has changed them.
    expect(await store.setWebhookKeys(PLACE, keys)).toBe(false);
    expect(await reads.webhook('acme', 'hook')).toMatchObject({ keys: 'new', fingerprint: 'g' });
    expect(await store.deleteWebhook(PLACE)).toBe(true);
    expect(await store.deleteWebhook(PLACE)).toBe(false);
    expect(await reads.webhook('acme', 'hook')).toBeUndefined();
  });

  it('reads the keys of all webhooks in pages, and replaces those that have not changed', async () => {
    const { store, reads } = await fresh(factory);
    for (const tenant of ['b', 'a']) {
      for (const id of ['y', 'x']) await store.putWebhook(webhook(`${tenant}${id}`, { tenant }), MOST);
    }
    const first = await reads.everyWebhookKey(undefined, 3);
    expect(first.map(({ name }) => name)).toEqual(['webhook:ax', 'webhook:ay', 'webhook:bx']);
    expect(await reads.everyWebhookKey(first.at(-1), 3)).toMatchObject([{ tenant: 'b', name: 'webhook:by' }]);
    const replaced = await store.rewrapWebhookKeys([
      { tenant: 'a', name: 'webhook:ax', from: 'jwe of ax', to: 'other' },
      { tenant: 'a', name: 'webhook:ay', from: 'an earlier one', to: 'other' },
      { tenant: 'b', name: 'webhook:ax', from: 'jwe of ax', to: 'other' },
    ]);
    expect(replaced).toBe(1);
    expect((await reads.webhook('a', 'ax'))?.keys).toBe('other');
  });

  it('reads the events of some tenants in the order in which they were committed', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('before'))]);
    await store.putWebhook(webhook('hook'), MOST);
    const { position = 0 } = (await reads.webhook('acme', 'hook')) ?? {};
    await store.commit([
      slice('a', [
        created(record('a', { tags: ['blue'] }), 1),
        created(childRecord('a.1', 'a', { workflowId: 'child' }), 1),
      ]),
      birth(record('b', { tenant: 'other' })),
    ]);
    await store.commit([forked('c', forkOf('a', 0, { mode: 'replay' }), 1)]);
    const { upTo, events } = await reads.committedEvents(position, 100, ['acme']);
    expect(events.map(({ runId, sequence }) => `${runId}:${sequence}`)).toEqual(['a:0', 'a.1:0', 'c:0']);
    expect(events[1]).toMatchObject({
      tenant: 'acme',
      workflowId: 'child',
      tags: ['blue'],
    });
    expect(events[1]?.beginning).toContain('"eventId":"a.1:0"');
    expect(events.map(({ forkMode }) => forkMode)).toEqual([undefined, undefined, 'replay']);
    const page = await reads.committedEvents(position, 2, ['other']);
    expect(page.events).toEqual([]);
    expect((await reads.committedEvents(page.upTo ?? 0, 1, ['other'])).events).toMatchObject([
      { runId: 'b' },
    ]);
    expect(await reads.committedEvents(upTo ?? 0, 100, ['acme', 'other'])).toEqual({ events: [] });
  });

  it('never uses a position again, also when the newest events are removed', async () => {
    const { store, reads } = await fresh(factory);
    await store.commit([birth(record('a'), 3, { status: 'completed' })]);
    const { upTo = 0 } = await reads.committedEvents(0, 100, ['acme']);
    for (const id of ['b', 'c']) {
      await store.purgeTrees(T0 + 1000, 10);
      await store.commit([birth(record(id), 1, { status: 'completed' })]);
      const { events } = await reads.committedEvents(upTo, 100, ['acme']);
      expect(events.map(({ runId }) => runId)).toEqual([id]);
    }
  });

  it('queues the events of a run once, from the position that the webhook had', async () => {
    const { store, reads } = await hooked(factory);
    const queue = (from: number, to: number, first: number, last: number) =>
      store.queueDeliveries([{ webhookId: 'hook', from, to, runs: [{ runId: 'a', first, last }] }], T0);
    expect(await queue(0, 5, 0, 1)).toEqual({ hook: 1 });
    expect(await queue(5, 9, 3, 4)).toEqual({ hook: 1 });
    // Another host was here before.
    expect(await queue(5, 9, 3, 7)).toEqual({});
    expect(await reads.dueDeliveries('hook', T0 - 1, 10)).toEqual([]);
    expect(await reads.dueDeliveries('hook', T0, 10)).toEqual([
      { number: 1, runId: 'a', workflowId: 'demo.greet', next: 0, last: 4, tries: 0, nextAt: T0 },
    ]);
    expect(await reads.webhook('acme', 'hook')).toMatchObject({ position: 9 });
    expect(await reads.nextDelivery('hook')).toBe(T0);
  });

  it('removes a delivery when its last event was delivered, unless more was queued meanwhile', async () => {
    const { store, reads, number } = await hooked(factory, 4);
    await store.settleDeliveries([delivered(number, 2)], MOST);
    expect(await reads.dueDeliveries('hook', T0 + 1, 10)).toMatchObject([{ next: 2, last: 4 }]);
    await store.queueDeliveries(
      [{ webhookId: 'hook', from: 1, to: 2, runs: [{ runId: 'a', first: 5, last: 6 }] }],
      T0,
    );
    expect(await store.settleDeliveries([delivered(number, 5)], MOST)).toEqual({ hook: 1 });
    expect(await store.settleDeliveries([delivered(number, 7)], MOST)).toEqual({ hook: 0 });
    expect(await reads.dueDeliveries('hook', T0 + 9, 10)).toEqual([]);
  });

  it('knows since when a webhook has had no success', async () => {
    const { store, reads, number } = await hooked(factory, 4);
    const since = async () => (await reads.webhook('acme', 'hook'))?.failingSince;
    const failing = (at: number) => store.settleDeliveries([failed(number, { failingSince: at })], MOST);
    await failing(T0 + 1);
    await failing(T0 + 2);
    expect(await since()).toBe(T0 + 1);
    expect(await reads.dueDeliveries('hook', T0 + 50, 10)).toMatchObject([
      { tries: 2, error: 'no', nextAt: T0 + 50 },
    ]);
    await store.settleDeliveries([{ ...delivered(number, 1), reached: false }], MOST);
    expect(await since()).toBe(T0 + 1);
    await store.settleDeliveries([delivered(number, 1)], MOST);
    expect(await since()).toBeUndefined();
    await failing(T0 + 3);
    await store.setWebhookState(PLACE, { state: 'active', at: T0 });
    expect(await since()).toBeUndefined();
  });

  it('keeps a dead letter, goes on with the next event, and delivers the letter again when it is told', async () => {
    const { store, reads, number } = await hooked(factory, 4);
    await store.settleDeliveries([dead(number, 0)], MOST);
    expect(await reads.dueDeliveries('hook', T0 + 9, 10)).toMatchObject([
      { number, next: 1, last: 4, tries: 0 },
    ]);
    const letters = async () => (await reads.deliveries({ ...PLACE, dead: true }, 10)).items;
    expect(await letters()).toMatchObject([
      { runId: 'a', next: 0, last: 0, tries: 7, error: 'no', diedAt: T0 + 5 },
    ]);
    expect((await reads.deliveries({ ...PLACE, tenant: 'other', dead: true }, 10)).items).toEqual([]);
    const [letter] = await letters();
    expect(letter?.nextAt).toBeUndefined();
    expect(await store.redeliver({ ...PLACE, tenant: 'other' }, undefined, T0 + 6)).toBe(0);
    expect(await store.redeliver(PLACE, [number], T0 + 6)).toBe(0);
    expect(await store.redeliver(PLACE, [letter?.number ?? 0], T0 + 6)).toBe(1);
    expect(await store.redeliver(PLACE, undefined, T0 + 6)).toBe(0);
    expect(await letters()).toMatchObject([{ nextAt: T0 + 6, tries: 0 }]);
    await store.settleDeliveries([dead(letter?.number ?? 0, 0)], MOST);
    expect((await letters()).map(({ nextAt }) => nextAt)).toEqual([undefined]);
    await store.settleDeliveries([delivered(letter?.number ?? 0, 1)], MOST);
    expect(await letters()).toEqual([]);
    expect(await reads.backlog('hook')).toBe(1);
  });

  it('keeps at most as many dead letters as it is told, the newest ones', async () => {
    const { store, reads, number } = await hooked(factory, 9);
    for (let next = 0; next < 5; next += 1) await store.settleDeliveries([dead(number, next)], MOST);
    const page = await reads.deliveries({ ...PLACE, dead: true }, 2);
    expect(page.items.map(({ next }) => next)).toEqual([2, 3]);
    const rest = await reads.deliveries({ ...PLACE, dead: true }, 2, page.next);
    expect(rest.items.map(({ next }) => next)).toEqual([4]);
    expect(rest.next).toBeUndefined();
  });

  it('removes deliveries with their webhook, and keeps everything when it is opened again', async () => {
    const { store, reads, number, reopen } = await hooked(factory, 4);
    await store.settleDeliveries([dead(number, 0)], MOST);
    const before = await reads.dueDeliveries('hook', T0 + 9, 10);
    const again = await reopen();
    expect(await again.reads.dueDeliveries('hook', T0 + 9, 10)).toEqual(before);
    await again.store.deleteWebhook(PLACE);
    await again.store.putWebhook(webhook('hook'), MOST);
    expect(await again.reads.dueDeliveries('hook', T0 + 9, 10)).toEqual([]);
    expect((await again.reads.deliveries({ ...PLACE, dead: true }, 10)).items).toEqual([]);
    // What became of a delivery is not noted for another one.
    expect(await again.store.settleDeliveries([delivered(number, 1)], MOST)).toEqual({ hook: 0 });
  });

  it('tells of webhooks that were changed, and not of their deliveries', async () => {
    const { store, number } = await hooked(factory, 4);
    const told: string[] = [];
    store.changes((change) => void told.push(change.kind === 'webhook' ? change.id : change.kind));
    await store.settleDeliveries([dead(number, 0)], MOST);
    expect(told).toEqual([]);
    await store.redeliver(PLACE, undefined, T0);
    await store.redeliver(PLACE, undefined, T0);
    await store.setWebhookState(PLACE, { state: 'paused', at: T0 });
    await store.putWebhook(webhook('more'), MOST);
    await store.deleteWebhook({ ...PLACE, webhookId: 'unknown' });
    await store.deleteWebhook(PLACE);
    expect(told).toEqual(['hook', 'hook', 'more', 'hook']);
  });
}

/** A store with a run and a webhook, and with one delivery up to event `last`. */
async function hooked(factory: StoreFactory, last?: number) {
  const under = await fresh(factory);
  await under.store.putWebhook(webhook('hook'), MOST);
  await under.store.commit([birth(record('a'), 10)]);
  if (last !== undefined) await queueFirst(under.store, last);
  const [row] = await under.reads.dueDeliveries('hook', T0, 1);
  return { ...under, number: row?.number ?? 0 };
}

function queueFirst(store: Store, last: number) {
  return store.queueDeliveries(
    [{ webhookId: 'hook', from: 0, to: 1, runs: [{ runId: 'a', first: 0, last }] }],
    T0,
  );
}

function webhook(webhookId: string, more: Partial<NewWebhook> = {}): NewWebhook {
  return {
    ...{ tenant: 'acme', webhookId, principal: 'ada', url: 'https://example.com/' },
    ...{
      events: ['*'],
      workflows: [],
      tags: [],
      keys: `jwe of ${webhookId}`,
      fingerprint: 'f',
      createdAt: T0,
    },
    ...more,
  };
}

const delivered = (number: number, next: number): SettledDelivery & { readonly kind: 'delivered' } => ({
  kind: 'delivered',
  number,
  webhookId: 'hook',
  at: T0 + 1,
  next,
  reached: true,
});

const failed = (number: number, more: { readonly failingSince: number }): SettledDelivery => ({
  ...{ kind: 'failed', number, webhookId: 'hook', at: T0, next: 0, tries: 2, nextAt: T0 + 50, error: 'no' },
  ...more,
});

const dead = (number: number, next: number): SettledDelivery => ({
  ...{ kind: 'dead', number, webhookId: 'hook', at: T0 + 5, next, tries: 7, failingSince: T0, error: 'no' },
});
