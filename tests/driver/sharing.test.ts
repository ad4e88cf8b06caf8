import type { Slice, Store, StoreChange } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { acting, carriedOut, twoHosts } from './held-effects.ts';
import { handClock, on, settled, startTestEngine } from './test-engine.ts';

/** What a host says to a store that it shares with others, and does when it hears of them. */

it('says which slices nobody has asked for, so that the store refuses them while another host keeps the tree', async () => {
  const { clock, move } = handClock();
  const slices: Slice[] = [];
  const host = await startTestEngine({
    clock,
    wrap: (store) => ({
      ...store,
      commit(given) {
        slices.push(...given);
        return store.commit(given);
      },
    }),
  });
  await host.register(workflow('waits', [node('wait', 'core.delay', { ms: 500 })]));
  const runId = await host.create('waits');
  const asked = slices.filter(({ runs }) => runs.some(({ created }) => created !== undefined));
  expect(asked.map(({ continues }) => continues)).toEqual([undefined]);
  slices.length = 0;
  await move(500);
  expect(await host.status(runId)).toBe('completed');
  expect(slices.length).toBeGreaterThan(0);
  expect(slices.map(({ continues }) => continues)).toEqual(slices.map(() => true));
});

it('takes a tree whose keeper moves it again and again while somebody asks for it here', async () => {
  const taken: string[] = [];
  let conflicts = 0;
  const host = await startTestEngine({
    wrap: (store) => ({
      ...store,
      async commit(slices) {
        const isCancel = slices.some(({ runs }) => runs.some(({ status }) => status === 'cancelled'));
        if (!isCancel || ++conflicts > 2) return store.commit(slices);
        return slices.map(() => 'conflict' as const);
      },
      async takeTree(rootId) {
        taken.push(rootId);
        await store.takeTree(rootId);
      },
    }),
  });
  await host.register(workflow('asks', [node('ask', 'core.approvalGate', { title: 'Go on?' })]));
  const runId = await host.create('asks');
  await carriedOut(host, on('cancel-run', runId));
  expect(taken).toEqual([runId]);
  expect(await host.status(runId)).toBe('cancelled');
});

/** Two hosts that hear of each other's commits only from the test. The second has cancelled a run whose effect the first performs. */
async function cancelledUnheard() {
  const listeners: ((change: StoreChange) => void)[] = [];
  const wrap = (store: Store): Store => ({
    ...store,
    changes: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
  });
  const hosts = await twoHosts(acting(), { wrap });
  await carriedOut(hosts.two, on('cancel-run', hosts.runId));
  expect(hosts.first[0]?.context.signal.aborted).toBe(false);
  async function hear(change: StoreChange): Promise<void> {
    for (const listener of listeners) listener(change);
    await settled();
  }
  return { ...hosts, hear };
}

it('ends effects when changes were missed, if another host has settled them meanwhile', async () => {
  const { first, hear } = await cancelledUnheard();
  await hear({ kind: 'missed' });
  expect(first[0]?.context.signal.aborted).toBe(true);
});

it('ends an effect when it hears that another host has moved the run, which no longer awaits it', async () => {
  const { one, runId, first, hear } = await cancelledUnheard();
  const told = one.told();
  await hear({ kind: 'moved', runs: [{ runId, lastSequence: 9, status: 'cancelled' }] });
  expect(first[0]?.context.signal.aborted).toBe(true);
  // Readers at this host hear of it, too.
  expect(one.told()).toBe(told + 1);
});
