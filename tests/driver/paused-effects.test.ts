import { StorageFullError, type Store } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { expectSameFrom } from './forking.ts';
import { acting, BUSY, carriedOut, DONE, heldEffects, twoHosts } from './held-effects.ts';
import { handClock, on, settled, startTestEngine } from './test-engine.ts';

/** While a run is paused, no effect of it begins. The host that resumes the run performs those that wait. */

type Host = Parameters<typeof carriedOut>[0];

const pause = (host: Host, runId: string) => carriedOut(host, on('pause-run', runId));
const resume = (host: Host, runId: string) => carriedOut(host, on('resume-run', runId));

const LATER = { ...BUSY, retryAfterMs: 5000 };

describe('while a run is paused', () => {
  it('an effect under way ends, and the next one begins with the resume', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform });
    await host.register(acting({ times: 2 }));
    const runId = await host.create('w');
    await pause(host, runId);
    expect(calls[0]?.context.signal.aborted).toBe(false);
    await calls[0]?.finish();
    expect(await host.types(runId)).toContain('baton.effect.settled');
    expect(calls).toHaveLength(1);
    await resume(host, runId);
    await calls[1]?.finish();
    expect(await host.status(runId)).toBe('completed');
    await expectSameFrom(host, runId);
  });

  it('a child that outlives the failure of the run goes on when the run has failed', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform });
    const act = node('act', 'core.conformance.side-effect');
    const sub = node('sub', 'core.subWorkflow', { workflowId: 'child', propagateCancellation: false });
    await host.register(workflow('child', [act]), workflow('w', [act, sub]));
    const runId = await host.create('w');
    await pause(host, runId);
    const of = (id: string) => calls.find(({ effect }) => effect.runId === id);
    await of(`${runId}.1`)?.finish();
    expect(await host.status(`${runId}.1`)).not.toBe('completed');
    await of(runId)?.finish(BUSY);
    expect(await host.status(runId)).toBe('failed');
    expect(await host.status(`${runId}.1`)).toBe('completed');
  });

  it('an effect that failed is not tried again', async () => {
    const time = handClock();
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform, clock: time.clock });
    await host.register(acting({ tries: 3 }));
    const runId = await host.create('w');
    await calls[0]?.finish(LATER);
    await pause(host, runId);
    await time.move(6000);
    expect(calls).toHaveLength(1);
    await resume(host, runId);
    expect(calls[1]?.effect.tries).toBe(2);
    await calls[1]?.finish();
    expect(await host.status(runId)).toBe('completed');
    await expectSameFrom(host, runId);
  });

  it('an effect that waits for a slot does not begin', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform, limits: { effectsAtOnce: 1 } });
    await host.register(acting());
    await host.create('w');
    const runId = await host.create('w');
    await pause(host, runId);
    await calls[0]?.finish();
    expect(calls).toHaveLength(1);
    await resume(host, runId);
    await calls[1]?.finish();
    expect(await host.status(runId)).toBe('completed');
  });

  it('an effect that was under way when the host was lost does not begin again', async () => {
    const { perform } = heldEffects();
    const before = await startTestEngine({ perform });
    await before.register(acting());
    const runId = await before.create('w');
    await pause(before, runId);
    expect(await before.store.unfinished()).toEqual([]);
    const after = await before.crash({ perform: async () => DONE });
    expect(after.performed).toEqual([]);
    await resume(after, runId);
    expect(after.performed).toHaveLength(1);
    expect(await after.status(runId)).toBe('completed');
  });
});

describe('another host that resumes the run', () => {
  type Hosts = Awaited<ReturnType<typeof twoHosts>>;

  /** The second host performs what is left, and the run ends. */
  async function expectSecondPerforms({ one, two, runId, first, second }: Hosts): Promise<void> {
    const begun = first.length;
    await resume(two, runId);
    expect([first.length, second.length]).toEqual([begun, 1]);
    await second[0]?.finish();
    expect(await one.status(runId)).toBe('completed');
    expect(one.fatal).toEqual([]);
  }

  it.each([
    ['next effect', { times: 2 }, DONE],
    ['next try of an effect', { tries: 2 }, LATER],
  ])('performs the %s', async (_, config, outcome) => {
    const time = handClock();
    const hosts = await twoHosts(acting(config), { clock: time.clock });
    await pause(hosts.one, hosts.runId);
    await hosts.first[0]?.finish(outcome);
    await time.move(6000);
    await expectSecondPerforms(hosts);
  });

  it('performs the next try of an effect that it knew as the effect of the first host', async () => {
    const time = handClock();
    const hosts = await twoHosts(acting({ tries: 2 }), { clock: time.clock });
    await hosts.first[0]?.finish(LATER);
    await hosts.two.recover();
    await hosts.two.idle();
    await settled();
    await pause(hosts.one, hosts.runId);
    await settled();
    await time.move(6000);
    await expectSecondPerforms(hosts);
  });

  it('performs the next try of an effect whose time came while the first host did not know of the pause', async () => {
    const time = handClock();
    const hosts = await twoHosts(acting({ tries: 2 }), { clock: time.clock });
    await hosts.first[0]?.finish(LATER);
    await pause(hosts.two, hosts.runId);
    await time.move(6000);
    await time.move(0);
    expect(hosts.first).toHaveLength(1);
    await expectSecondPerforms(hosts);
  });

  it('performs the next effect, although the store had no room when the first host released it', async () => {
    const time = handClock();
    let isFull = true;
    const wrap = (store: Store): Store => ({
      ...store,
      releaseEffects: (given) =>
        isFull ? Promise.reject(new StorageFullError()) : store.releaseEffects(given),
    });
    const hosts = await twoHosts(acting({ times: 2 }), { clock: time.clock, wrap });
    await pause(hosts.one, hosts.runId);
    await hosts.first[0]?.finish();
    isFull = false;
    await time.move(1000);
    await expectSecondPerforms(hosts);
  });

  it('leaves the next try to the first host, if the first host did not know of the pause', async () => {
    const time = handClock();
    const { one, two, runId, first, second } = await twoHosts(acting({ tries: 2 }), { clock: time.clock });
    await first[0]?.finish(LATER);
    await pause(two, runId);
    await resume(two, runId);
    await time.move(6000);
    await time.move(0);
    expect([first.length, second.length]).toEqual([2, 0]);
    await first[1]?.finish();
    expect(await one.status(runId)).toBe('completed');
    expect(one.fatal).toEqual([]);
  });

  it('leaves an effect under way to the first host', async () => {
    const { one, two, runId, first, second } = await twoHosts(acting());
    await pause(one, runId);
    await resume(two, runId);
    expect([first.length, second.length]).toEqual([1, 0]);
    expect(first[0]?.context.signal.aborted).toBe(false);
    await first[0]?.finish();
    expect(await one.status(runId)).toBe('completed');
  });
});
