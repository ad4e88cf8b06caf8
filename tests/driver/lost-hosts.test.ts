import type { LocalEngine } from '@baton/engine';
import { StoreUnavailableError } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { inOrder, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { acting, heldEffects, twoHosts } from './held-effects.ts';
import { handClock, settled, startTestEngine } from './test-engine.ts';

/** Hosts that share a store which cannot always be reached, and whose other hosts end. */

it('performs the effect of a lost host in a tree that it keeps already', async () => {
  const { second, two, alive } = await twoHosts(acting());
  await two.recover();
  await settled();
  expect(second).toEqual([]);
  alive.splice(0, 1);
  await two.adopt();
  await settled();
  expect(second.map(({ effect }) => effect.again)).toEqual([true]);
});

it('looks again for effects that it was denied while their host was lost', async () => {
  const { clock, move } = handClock();
  const { one, second, two, alive } = await twoHosts(acting(), { clock });
  const { claimEffects } = one.store;
  const answers: (() => void)[] = [];
  Object.assign(one.store, {
    async claimEffects(claim: Parameters<typeof claimEffects>[0]) {
      const claimed = await claimEffects(claim);
      await new Promise<void>((resolve) => answers.push(resolve));
      return claimed;
    },
  });
  await two.recover();
  await settled();
  alive.splice(0, 1);
  await two.adopt();
  await settled();
  for (let turn = 0; turn < 3; turn += 1) {
    for (const answer of answers.splice(0)) answer();
    await move(1);
  }
  expect(second.map(({ effect }) => effect.again)).toEqual([true]);
});

it('tries an adoption again that the store did not answer', async () => {
  const { clock, move } = handClock();
  let asked = 0;
  let isLost = false;
  const host = await startTestEngine({
    clock,
    wrap: (store) => ({
      ...store,
      async adoptTrees(limit) {
        asked += 1;
        if (isLost) throw new StoreUnavailableError();
        return store.adoptTrees(limit);
      },
    }),
  });
  isLost = true;
  asked = 0;
  await (host.engine as LocalEngine).adopt();
  expect(asked).toBe(1);
  isLost = false;
  await move(1000);
  expect(asked).toBe(2);
  await move(1000);
  expect(asked).toBe(2);
  expect(host.fatal).toEqual([]);
});

it('goes on with trees that it has adopted although the answer of the store was lost', async () => {
  const { clock, move } = handClock();
  const { one, second, two, alive } = await twoHosts(acting(), { clock });
  const { adoptTrees } = one.store;
  Object.assign(one.store, {
    async adoptTrees() {
      Object.assign(one.store, { adoptTrees });
      throw new StoreUnavailableError();
    },
  });
  alive.splice(0, 1);
  await two.adopt();
  await settled();
  expect(second).toEqual([]);
  await move(1000);
  expect(second.map(({ effect }) => effect.again)).toEqual([true]);
});

it('records an outcome after the store was lost while the tree was computed from it', async () => {
  const { clock, move } = handClock();
  const { calls, perform } = heldEffects();
  let isLost = false;
  const host = await startTestEngine({
    clock,
    perform,
    wrap: (store) => ({
      ...store,
      async workflow(...given) {
        if (isLost) throw new StoreUnavailableError();
        return store.workflow(...given);
      },
    }),
  });
  const nodes = [
    node('act', 'core.conformance.side-effect'),
    node('below', 'core.subWorkflow', { workflowId: 'below' }),
  ];
  await host.register(
    workflow('below', [node('rest', 'core.noop')]),
    workflow('above', nodes, { edges: inOrder(nodes) }),
  );
  const runId = await host.create('above');
  isLost = true;
  await calls[0]?.finish();
  expect(await host.status(runId)).toBe('running');
  isLost = false;
  await move(1000);
  expect(await host.status(runId)).toBe('completed');
});

it('recovers when the store is back, if the store was away before', async () => {
  const { clock, move } = handClock();
  const { one, second, two, alive } = await twoHosts(acting(), { clock });
  const { unfinished } = one.store;
  let isAway = true;
  Object.assign(one.store, {
    async unfinished() {
      if (isAway) throw new StoreUnavailableError();
      return unfinished();
    },
  });
  alive.splice(0, 1);
  void two.recover();
  await move(2000);
  expect(second).toEqual([]);
  isAway = false;
  await move(500);
  expect(second.map(({ effect }) => effect.again)).toEqual([true]);
  expect(one.fatal).toEqual([]);
});
