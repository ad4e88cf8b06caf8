import type { LocalEngine, Store } from '@baton/engine';
import { StoreUnavailableError } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { GRACE_MS, handingOut, KIND } from './handed-out.ts';
import { acting, BUSY, carriedOut, type SchedulersByOwner, twoHosts } from './held-effects.ts';
import { CALLER, handClock, on, runIdOf, settled } from './test-engine.ts';

/** Effects that a scheduler hands out: two hosts on one store, and the test is the scheduler. */

async function offering(
  more: Parameters<typeof acting>[1] = {},
  kinds: { readonly one?: readonly string[]; readonly two?: readonly string[] } = {},
  wrap: (store: Store) => Store = (store) => store,
) {
  const { clock, move } = handClock();
  const one = handingOut(kinds.one);
  const two = handingOut(kinds.two);
  const schedulers = { one: one.scheduler, two: two.scheduler };
  const hosts = await twoHosts(acting({ tries: 3 }, more), { clock, schedulers, wrap });
  await settled();
  return {
    ...{ hosts, move, one, two, key: `${hosts.runId}/act/1/1/1` },
    async invite(at: typeof one, tries = 1) {
      const noted = at.invite(hosts.runId.concat('/act/1/1/1'), tries);
      await settled();
      return noted;
    },
    /** Both hosts look for what nobody does, as every host does from time to time. */
    async sweep() {
      await (hosts.one.engine as LocalEngine).adopt();
      await hosts.two.adopt();
      await settled();
    },
  };
}

it('offers an effect once it is stored, and does not perform it', async () => {
  const { hosts, one, two, key } = await offering();
  expect(one.offers).toEqual([{ key, tries: 1, at: 0 }]);
  expect(two.offers).toEqual([]);
  expect([hosts.first, hosts.second]).toEqual([[], []]);
});

it('performs it on the host that is invited, which answers when the outcome is stored', async () => {
  const { hosts, two, invite } = await offering();
  const invited = await invite(two);
  expect(hosts.first).toEqual([]);
  expect(hosts.second).toHaveLength(1);
  expect(hosts.second[0]?.effect.again).toBeUndefined();
  expect(invited.answer).toBeUndefined();
  await hosts.second[0]?.finish();
  expect(await hosts.one.status(hosts.runId)).toBe('completed');
  expect(invited.answer).toBe('over');
});

it('tells the scheduler to ask again later while another host has the effect', async () => {
  const { hosts, one, two, invite } = await offering();
  await invite(two);
  expect(await invite(one)).toEqual({ answer: 'elsewhere' });
  expect(await invite(one)).toEqual({ answer: 'elsewhere' });
  expect(hosts.first).toEqual([]);
});

it('performs the effect of a lost host when it is invited again, and says that it may have been performed', async () => {
  const { hosts, one, two, invite } = await offering();
  await invite(two);
  expect(await invite(one)).toEqual({ answer: 'elsewhere' });
  hosts.alive.splice(1, 1);
  await invite(one);
  expect(hosts.first.map(({ effect }) => effect.again)).toEqual([true]);
});

it('performs once what it is invited to twice', async () => {
  const { hosts, two, invite } = await offering();
  const invitations = [await invite(two), await invite(two)];
  expect(hosts.second).toHaveLength(1);
  await hosts.second[0]?.finish();
  expect(invitations).toEqual([{ answer: 'over' }, { answer: 'over' }]);
});

it('answers an invitation to an effect that is settled, or that it does not know', async () => {
  const { hosts, one, two, invite } = await offering();
  await invite(two);
  await hosts.second[0]?.finish();
  expect(await invite(one)).toEqual({ answer: 'over' });
  const unknown = one.invite('nobody/act/1/1/1');
  await settled();
  expect(unknown).toEqual({ answer: 'over' });
  expect(hosts.one.fatal).toEqual([]);
});

it('answers when the outcome comes after another host has ended the run', async () => {
  const { hosts, two, invite } = await offering();
  const invited = await invite(two);
  // The second host is not told.
  await carriedOut(hosts.one, on('cancel-run', hosts.runId));
  expect(invited.answer).toBeUndefined();
  await hosts.second[0]?.finish();
  expect(invited.answer).toBe('over');
});

it('answers when nobody waits for the effect any more, and aborts the call', async () => {
  const { hosts, two, invite } = await offering();
  const invited = await invite(two);
  await carriedOut(hosts.two, on('cancel-run', hosts.runId));
  expect(invited.answer).toBe('over');
  expect(hosts.second[0]?.context.signal.aborted).toBe(true);
});

it('offers the next try for its time, to any host', async () => {
  const { hosts, one, two, invite, move, key } = await offering();
  const invited = await invite(two);
  await hosts.second[0]?.finish({ ...BUSY, retryAfterMs: 60_000 });
  expect(invited.answer).toBe('over');
  const [next] = two.offers;
  expect(next).toMatchObject({ key, tries: 2 });
  await move(60_000);
  expect(hosts.second).toHaveLength(1);
  await invite(one, 2);
  expect(hosts.first.map(({ effect }) => effect.tries)).toEqual([2]);
  // The host that made the first try has no part in the second one.
  expect(await invite(two, 1)).toEqual({ answer: 'over' });
  expect(await invite(two, 2)).toEqual({ answer: 'elsewhere' });
});

it('goes on with the present try when a late invitation to the one before comes', async () => {
  const { hosts, two, invite, move } = await offering();
  await invite(two);
  await hosts.second[0]?.finish({ ...BUSY, retryAfterMs: 60_000 });
  await move(60_000);
  const invited = await invite(two, 2);
  expect(await invite(two, 1)).toEqual({ answer: 'over' });
  expect([hosts.second[1]?.context.signal.aborted, invited.answer]).toEqual([false, undefined]);
  await hosts.second[1]?.finish();
  expect(await hosts.one.status(hosts.runId)).toBe('completed');
  expect(invited.answer).toBe('over');
});

it('takes up an offer that the scheduler has lost, after its grace, on one host', async () => {
  const { hosts, sweep, move } = await offering();
  await sweep();
  await move(GRACE_MS);
  await sweep();
  expect([...hosts.first, ...hosts.second]).toEqual([]);
  await move(1);
  await sweep();
  expect([...hosts.first, ...hosts.second]).toHaveLength(1);
  await [...hosts.first, ...hosts.second][0]?.finish();
  expect(await hosts.one.status(hosts.runId)).toBe('completed');
});

it('takes up the effect of a lost host when the scheduler is lost, too', async () => {
  const { hosts, two, invite, sweep, move } = await offering();
  await invite(two);
  hosts.alive.splice(1, 1);
  await move(GRACE_MS + 1);
  await (hosts.one.engine as LocalEngine).adopt();
  await settled();
  expect(hosts.first.map(({ effect }) => effect.again)).toEqual([true]);
  await sweep();
  expect(hosts.first).toHaveLength(1);
});

it('performs an effect whose claim was stored although the answer was lost', async () => {
  let isLost = false;
  const losesOne = (store: Store): Store => ({
    ...store,
    async claimEffects(claim) {
      const granted = await store.claimEffects(claim);
      if (isLost) return granted;
      isLost = true;
      throw new StoreUnavailableError();
    },
  });
  const { hosts, one, invite, sweep, move } = await offering({}, {}, losesOne);
  const invited = await invite(one);
  // The host is the owner. It must not give the effect back before it knows this.
  await sweep();
  await sweep();
  await move(1000);
  expect([hosts.first.length, invited.answer]).toEqual([1, undefined]);
});

it('leaves kinds that it does not perform to the hosts that do', async () => {
  const { hosts, one, two, invite, sweep, move } = await offering({}, { one: [] });
  expect(await invite(one)).toEqual({ answer: 'elsewhere' });
  await move(GRACE_MS + 1);
  await sweep();
  expect(hosts.first).toEqual([]);
  expect(hosts.second).toHaveLength(1);
  expect(two.offers).toEqual([]);
});

it('does not perform the effect of a paused run, and offers it again when the run is resumed', async () => {
  const { hosts, one, two, invite, sweep, move, key } = await offering();
  await carriedOut(hosts.two, on('pause-run', hosts.runId));
  expect(await invite(two)).toEqual({ answer: 'over' });
  await move(GRACE_MS + 1);
  await sweep();
  expect([...hosts.first, ...hosts.second]).toEqual([]);
  await carriedOut(hosts.two, on('resume-run', hosts.runId));
  expect(two.offers).toEqual([{ key, tries: 1, at: 0 }]);
  await invite(one);
  expect(hosts.first).toHaveLength(1);
});

it('goes on with a call that has begun when its run is paused', async () => {
  const { hosts, two, invite } = await offering();
  const invited = await invite(two);
  await carriedOut(hosts.two, on('pause-run', hosts.runId));
  expect(invited.answer).toBeUndefined();
  expect(hosts.second[0]?.context.signal.aborted).toBe(false);
  await hosts.second[0]?.finish();
  expect(invited.answer).toBe('over');
});

it('gives invitations back when the host stops, and finishes what has begun', async () => {
  const { hosts, one, two, invite } = await offering();
  const invited = await invite(two);
  const drained = hosts.two.drain();
  expect(await invite(two)).toEqual({ answer: 'elsewhere' });
  await hosts.second[0]?.finish();
  await drained;
  expect(invited.answer).toBe('over');
  expect(await invite(one)).toEqual({ answer: 'over' });
});

it('goes on with the effects of a tree that it adopts, and offers those that it does not perform', async () => {
  const { hosts, two } = await offering({}, { two: [] });
  hosts.alive.splice(0, 1);
  await hosts.two.recover();
  await settled();
  // The offer of the lost host stands, so it is not made again.
  expect([two.offers, hosts.second]).toEqual([[], []]);
  const other = await offering();
  other.hosts.alive.splice(0, 1);
  await other.hosts.two.recover();
  await settled();
  expect(other.hosts.second.map(({ effect }) => effect.again)).toEqual([undefined]);
});

it('begins the next try at once when somebody outside says that it is worth it', async () => {
  const { hosts, one, two, invite } = await offering();
  await invite(two);
  await hosts.second[0]?.finish({ ...BUSY, retryAfterMs: 60_000 });
  await hosts.one.execute({ kind: 'hasten-effects', runId: hosts.runId });
  await settled();
  expect(hosts.first.map(({ effect }) => effect.tries)).toEqual([2]);
  expect(one.offers).toHaveLength(1);
});

it('offers the effects that a branch takes over from children under way', async () => {
  const { hosts, one, sweep, move } = await offering();
  await hosts.one.register(workflow('above', [node('child', 'core.subWorkflow', { workflowId: 'w' })]));
  const above = await hosts.one.create('above');
  // The branch begins after the child has intended its effect.
  await carriedOut(hosts.one, on('pause-run', above));
  await carriedOut(hosts.one, on('resume-run', above));
  const body = { mode: 'branch', fromSeq: (await hosts.one.events(above)).length } as const;
  const reply = await hosts.one.execute({ kind: 'fork-run', caller: CALLER, runId: above, body });
  await settled();
  const key = `${runIdOf(reply)}.1/act/1/1/1`;
  expect(one.offers.at(-1)).toEqual({ key, tries: 1, at: 0 });
  await move(GRACE_MS + 1);
  await sweep();
  expect([...hosts.first, ...hosts.second].map(({ effect }) => effect.key)).toContain(key);
});

it('offers the effects of a lost host that did not hand them out', async () => {
  const { clock } = handClock();
  const two = handingOut([]);
  const schedulers = { one: PLAIN, two: two.scheduler };
  const hosts = await twoHosts(acting(), { clock, schedulers });
  await hosts.two.recover();
  await settled();
  expect(two.offers).toEqual([]);
  hosts.alive.splice(0, 1);
  await hosts.two.recover();
  await settled();
  expect(two.offers).toMatchObject([{ key: `${hosts.runId}/act/1/1/1` }]);
  const left = { kinds: [KIND], alive: [], before: clock.now(), now: clock.now(), limit: 5 };
  expect(await hosts.one.store.leftOffers(left)).toHaveLength(1);
  // The lost host may have performed it.
  expect(await claimedBy('three', hosts)).toMatchObject([{ hadOwner: true }]);
});

it('says of an effect that it took over and did not begin that a lost host may have performed it', async () => {
  const { clock } = handClock();
  const hosts = await twoHosts(acting(), { clock });
  await settled();
  expect(hosts.first).toHaveLength(1);
  await hosts.two.drain();
  hosts.alive.splice(0, 1);
  await hosts.two.recover();
  await settled();
  await hosts.two.drain();
  expect(hosts.second).toEqual([]);
  expect(await claimedBy('three', hosts)).toMatchObject([{ hadOwner: true }]);
});

/** Claims the effect of the run for a further host. */
async function claimedBy(owner: string, { one, runId, alive }: Awaited<ReturnType<typeof twoHosts>>) {
  const from = await one.store.newestPlace(runId);
  const effects = [{ runId, key: `${runId}/act/1/1/1` }];
  return one.store.claimEffects({ owner, alive, rootId: runId, from, effects });
}

/** A host that performs what it intends. */
const PLAIN: SchedulersByOwner['one'] = (_calls, underneath) => underneath;
