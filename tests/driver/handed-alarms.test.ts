import type { LocalEngine } from '@baton/engine';
import { StoreUnavailableError } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { GRACE_MS, handingOut } from './handed-out.ts';
import { carriedOut, twoHosts } from './held-effects.ts';
import { type BenchOptions, handClock, on, settled } from './test-engine.ts';

/** Deadlines that a scheduler rings: two hosts on one store, and the test is the scheduler. */

const WAIT_MS = 60_000;

async function waiting(wrap?: BenchOptions['wrap']) {
  const { clock, move } = handClock();
  const one = handingOut();
  const two = handingOut();
  const hosts = await twoHosts(workflow('w', [node('pause', 'core.delay', { delayMs: WAIT_MS })]), {
    ...{ clock, schedulers: { one: one.scheduler, two: two.scheduler } },
    ...(wrap && { wrap }),
  });
  await settled();
  const { runId } = hosts;
  return {
    ...{ hosts, runId, clock, move, one, two, due: clock.now() + WAIT_MS },
    status: () => hosts.one.status(runId),
    async ring(at: typeof one, time = clock.now()) {
      await at.ring(runId, time);
      await settled();
    },
  };
}

it('tells the scheduler when the tree is due, and that it no longer is', async () => {
  const { hosts, one, two, runId, due } = await waiting();
  expect(one.alarms).toEqual([[runId, due]]);
  await carriedOut(hosts.one, on('cancel-run', runId));
  expect(one.alarms.at(-1)).toEqual([runId, null]);
  expect(two.alarms).toEqual([]);
});

it('leaves a deadline to the scheduler, and any host rings it', async () => {
  const { two, move, ring, status } = await waiting();
  await move(WAIT_MS);
  expect(await status()).toBe('running');
  await ring(two);
  expect(await status()).toBe('completed');
});

it('rings a deadline that the scheduler has lost, after its grace', async () => {
  const { move, status } = await waiting();
  await move(WAIT_MS + GRACE_MS - 1);
  expect(await status()).toBe('running');
  await move(1);
  expect(await status()).toBe('completed');
});

it('rings a lost deadline after a restart, too', async () => {
  const { hosts, move, status } = await waiting();
  await move(WAIT_MS);
  await (hosts.one.engine as LocalEngine).recover();
  await settled();
  expect(await status()).toBe('running');
  await move(GRACE_MS);
  expect(await status()).toBe('completed');
});

it('does nothing for an alarm of a tree that is not due, that it does not know, or that has ended', async () => {
  const { hosts, two, runId, due, move, ring, status } = await waiting();
  await ring(two);
  expect(await status()).toBe('running');
  await two.ring('nobody', 1);
  await move(WAIT_MS);
  await carriedOut(hosts.one, on('cancel-run', runId));
  await ring(two, due);
  expect(await status()).toBe('cancelled');
  expect(hosts.one.fatal).toEqual([]);
});

it('waits where the clock of the scheduler is ahead', async () => {
  const { two, due, move, status, runId } = await waiting();
  await move(WAIT_MS - 500);
  const ringing = two.ring(runId, due);
  await settled();
  expect(await status()).toBe('running');
  await move(500);
  await ringing;
  await settled();
  expect(await status()).toBe('completed');
});

it('does not wait for an alarm that is far too early', async () => {
  const { two, due, runId, status } = await waiting();
  await two.ring(runId, due + 1);
  expect(await status()).toBe('running');
});

it('asks the scheduler to ring again while the store cannot be reached', async () => {
  let isAway = false;
  const { one, move, ring, status } = await waiting((store) => ({
    ...store,
    async ringTree(rootId, now) {
      if (isAway) throw new StoreUnavailableError(new Error('away'));
      return store.ringTree(rootId, now);
    },
  }));
  await move(WAIT_MS);
  isAway = true;
  await expect(ring(one)).rejects.toThrow(StoreUnavailableError);
  isAway = false;
  await ring(one);
  expect(await status()).toBe('completed');
});
