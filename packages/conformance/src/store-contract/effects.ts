import { expect, it } from 'vitest';
import type { EffectClaim, SliceEffects } from '../../../engine/src/ports/effect-claims.ts';
import type { Slice, Store } from '../../../engine/src/ports/store.ts';
import { advanced, birth, record, slice } from './example-slices.ts';
import { fresh, type StoreFactory } from './under-test.ts';

const FIRST = { runId: 'a', key: 'a/n/1/1/1' };
const SECOND = { runId: 'a', key: 'a/n/1/1/2' };

export function effectContract(factory: StoreFactory): void {
  it('gives an effect to the host whose slice intends it, while this host is at work', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [FIRST, SECOND])]);
    expect(await claimed(store, claim('two', { alive: ['one'] }))).toEqual([]);
    expect(await claimed(store, claim('one', { alive: ['one', 'two'] }))).toEqual([FIRST.key]);
  });

  it('gives the effects of a host that was lost to the first that claims them', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [FIRST, SECOND])]);
    const both = [FIRST, SECOND];
    expect(await claimed(store, claim('two', { effects: both }))).toEqual([FIRST.key, SECOND.key]);
    expect(await claimed(store, claim('three', { alive: ['two'], effects: both }))).toEqual([]);
  });

  it('gives an effect that has no owner to the host that claims it', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'), 3)]);
    expect(await claimed(store, claim('one', { from: 3 }))).toEqual([FIRST.key]);
    expect(await claimed(store, claim('two', { from: 3, alive: ['one'] }))).toEqual([]);
  });

  it('gives an effect that its owner has released to the host that claims it', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [FIRST, SECOND])]);
    const release = { owner: 'one', rootId: 'a', from: 3, effects: [FIRST] };
    expect(await store.releaseEffects({ ...release, owner: 'two' })).toBe('released');
    const both = { alive: ['one', 'two'], effects: [FIRST, SECOND] };
    expect(await claimed(store, claim('two', both))).toEqual([]);
    expect(await store.releaseEffects(release)).toBe('released');
    expect(await claimed(store, claim('two', both))).toEqual([FIRST.key]);
    expect(await claimed(store, claim('one', both))).toEqual([SECOND.key]);
  });

  it('releases nothing of a tree that has moved, because its run may have been resumed', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [FIRST])]);
    await store.commit([slice('a', [advanced('a', 3, 1)])]);
    expect(await store.releaseEffects({ owner: 'one', rootId: 'a', from: 3, effects: [FIRST] })).toBe(
      'moved',
    );
    expect(await claimed(store, claim('two', { from: 4, alive: ['one'] }))).toEqual([]);
  });

  it('gives nothing of a tree that has moved, because the effect may be settled', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [FIRST])]);
    const settled: SliceEffects = { owner: 'one', begun: [], settled: [FIRST] };
    await store.commit([slice('a', [advanced('a', 3, 1)], { effects: settled })]);
    expect(await store.claimEffects(claim('two'))).toBe('moved');
    expect(await store.claimEffects(claim('two', { rootId: 'nobody' }))).toBe('moved');
  });

  it('forgets the owners of all effects of a run that ends in another way', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [FIRST, SECOND])]);
    const all: SliceEffects = { owner: '', begun: [], settled: 'all' };
    await store.commit([slice('a', [advanced('a', 3, 1)], { effects: all })]);
    const both = claim('two', { from: 4, alive: ['one'], effects: [FIRST, SECOND] });
    expect(await claimed(store, both)).toEqual([FIRST.key, SECOND.key]);
  });

  it('keeps owners only together with their slice', async () => {
    const { store } = await fresh(factory);
    await store.commit([birth(record('a'), 3)]);
    const begun: SliceEffects = { owner: 'one', begun: [FIRST], settled: [] };
    const late = slice('a', [advanced('a', 2, 1)], { from: 2, effects: begun });
    expect(await store.commit([late])).toEqual(['conflict']);
    expect(await claimed(store, claim('two', { from: 3, alive: ['one'] }))).toEqual([FIRST.key]);
  });

  it('says whether a claimed effect had an owner, who may have performed it', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [FIRST])]);
    expect(await store.claimEffects(claim('two'))).toEqual([{ key: FIRST.key, hadOwner: true }]);
    await store.releaseEffects({ owner: 'two', rootId: 'a', from: 3, effects: [FIRST] });
    expect(await store.claimEffects(claim('one'))).toEqual([{ key: FIRST.key, hadOwner: false }]);
    expect(await store.claimEffects(claim('one'))).toEqual([{ key: FIRST.key, hadOwner: true }]);
  });

  it('remembers of a released effect that a lost host may have performed it', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [FIRST, { ...SECOND, offer: { kind: 'model', at: 10 } }])]);
    const effects = [FIRST, SECOND].map((effect) => ({ ...effect, inDoubt: true }));
    await store.claimEffects(claim('two', { effects }));
    expect(await store.releaseEffects({ owner: 'two', rootId: 'a', from: 3, effects })).toBe('released');
    const left = { kinds: ['model'], alive: ['one', 'two'], before: 99, now: 20, limit: 5 };
    expect(await store.leftOffers(left)).toMatchObject([{ key: SECOND.key }]);
    const asked = claim('three', { alive: ['one', 'two'], effects });
    expect(await store.claimEffects(asked)).toEqual(effects.map(({ key }) => ({ key, hadOwner: true })));
    expect(await claimed(store, claim('one', { alive: ['three'], effects }))).toEqual([]);
  });

  it('remembers of an effect that is offered in place of a lost host that it had an owner', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [FIRST])]);
    const offer = { kind: 'model', at: 10 };
    const offers = { alive: ['two'], rootId: 'a', from: 3, effects: [{ ...FIRST, offer }] };
    expect(await store.offerEffects(offers)).toEqual([FIRST.key]);
    expect(await store.offerEffects(offers)).toEqual([]);
    expect(await store.claimEffects(claim('two', { alive: ['two'] }))).toEqual([
      { key: FIRST.key, hadOwner: true },
    ]);
  });

  it('gives an offered effect, which nobody has begun, to the first host that claims it', async () => {
    const { store } = await fresh(factory);
    await store.commit([offering(10)]);
    const asked = claim('two', { alive: ['one'] });
    expect(await store.claimEffects(asked)).toEqual([{ key: FIRST.key, hadOwner: false }]);
    expect(await claimed(store, claim('three', { alive: ['two'] }))).toEqual([]);
    expect(await store.claimEffects(claim('three'))).toEqual([{ key: FIRST.key, hadOwner: true }]);
  });

  it('takes an effect away from its owner when a slice offers its next try', async () => {
    const { store } = await fresh(factory);
    await store.commit([offering(10)]);
    await store.claimEffects(claim('one'));
    const begun = [{ ...FIRST, offer: { kind: 'model', at: 50 } }];
    await store.commit([
      slice('a', [advanced('a', 3, 1)], { effects: { owner: 'one', begun, settled: [] } }),
    ]);
    const asked = claim('two', { from: 4, alive: ['one'] });
    expect(await store.claimEffects(asked)).toEqual([{ key: FIRST.key, hadOwner: false }]);
  });

  it('finds offers that nobody at work has taken up, once in a while', async () => {
    const { store } = await fresh(factory);
    await store.commit([offering(10)]);
    const left = { kinds: ['model', 'other'], alive: ['one'], before: 11, now: 20, limit: 5 };
    const found = [{ rootId: 'a', tenant: record('a').tenant, key: FIRST.key }];
    expect(await store.leftOffers({ ...left, before: 10 })).toEqual([]);
    expect(await store.leftOffers({ ...left, kinds: ['other'] })).toEqual([]);
    expect(await store.leftOffers(left)).toEqual(found);
    expect(await store.leftOffers(left)).toEqual([]);
    await store.claimEffects(claim('one'));
    expect(await store.leftOffers({ ...left, before: 30 })).toEqual([]);
    expect(await store.leftOffers({ ...left, before: 30, alive: [] })).toEqual(found);
  });

  it('does not count the effects of a paused run, or those without an offer, as left', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [SECOND])]);
    const left = { kinds: ['model'], alive: [], before: 99, now: 20, limit: 5 };
    expect(await store.leftOffers(left)).toEqual([]);
    const begun = [{ ...FIRST, offer: { kind: 'model', at: 10 } }];
    const paused = { ...advanced('a', 3, 1), status: 'paused' } as const;
    await store.commit([slice('a', [paused], { effects: { owner: 'one', begun, settled: [] } })]);
    expect(await store.leftOffers(left)).toEqual([]);
    await store.commit([slice('a', [{ ...advanced('a', 4, 1), status: 'running' }])]);
    expect(await store.leftOffers(left)).toMatchObject([{ key: FIRST.key }]);
  });

  it('offers an effect again when its owner releases it', async () => {
    const { store } = await fresh(factory);
    await store.commit([offering(10)]);
    await store.claimEffects(claim('one'));
    await store.releaseEffects({ owner: 'one', rootId: 'a', from: 3, effects: [FIRST] });
    const left = { kinds: ['model'], alive: ['one'], before: 99, now: 20, limit: 5 };
    expect(await store.leftOffers(left)).toMatchObject([{ key: FIRST.key }]);
    expect(await store.claimEffects(claim('two'))).toEqual([{ key: FIRST.key, hadOwner: false }]);
  });

  it('offers effects that were left without an offer, and none that a host at work has', async () => {
    const { store } = await fresh(factory);
    await store.commit([intending('one', [SECOND])]);
    const effects = [FIRST, SECOND].map((effect) => ({ ...effect, offer: { kind: 'model', at: 10 } }));
    const offers = { alive: ['one'], rootId: 'a', from: 3, effects };
    expect(await store.offerEffects({ ...offers, from: 2 })).toBe('moved');
    expect(await store.offerEffects(offers)).toEqual([FIRST.key]);
    expect(await store.offerEffects({ ...offers, alive: [] })).toEqual([SECOND.key]);
    expect(await store.offerEffects({ ...offers, alive: [] })).toEqual([]);
    const left = { kinds: ['model'], alive: ['one'], before: 99, now: 20, limit: 5 };
    expect(await store.leftOffers(left)).toHaveLength(2);
  });

  it('refuses effects of a run that it does not have', async () => {
    const { store } = await fresh(factory);
    const begun: SliceEffects = { owner: 'one', begun: [{ runId: 'b', key: 'k' }], settled: [] };
    const [result] = await store.commit([{ ...birth(record('a'), 3), effects: begun }]);
    expect(result).toMatchObject({ refused: expect.stringContaining('run b') });
  });
}

function intending(owner: string, begun: SliceEffects['begun']): Slice {
  return { ...birth(record('a'), 3), effects: { owner, begun, settled: [] } };
}

function offering(at: number): Slice {
  return intending('one', [{ ...FIRST, offer: { kind: 'model', at } }]);
}

function claim(owner: string, more: Partial<EffectClaim> = {}): EffectClaim {
  return { owner, alive: [], rootId: 'a', from: 3, effects: [FIRST], ...more };
}

/** The keys that the store grants. */
async function claimed(store: Store, asked: EffectClaim): Promise<readonly string[]> {
  const granted = await store.claimEffects(asked);
  return granted === 'moved' ? expect.unreachable('the tree has moved') : granted.map(({ key }) => key);
}
