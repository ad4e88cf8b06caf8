import { StorageFullError, type Store } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import {
  edge,
  hand,
  LOOP_EDGES,
  node,
  TERMINATE,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

const noop = workflow('noop', [node('n', 'core.noop')]);
/** A disk that can be full, for slices and for definitions alike. */
function leaky() {
  const state = { full: false };
  const full = () => Promise.reject(new StorageFullError());
  const wrap = (store: Store): Store => ({
    ...store,
    commit: (slices) => (state.full ? full() : store.commit(slices)),
    putWorkflow: (definition, reply) => (state.full ? full() : store.putWorkflow(definition, reply)),
  });
  return { state, wrap };
}

describe('several things at once', () => {
  it('D1 performs parallel effects once each', async () => {
    const host = await startTestEngine();
    await host.register(
      workflow('w', [
        node('a', 'core.conformance.side-effect'),
        node('b', 'core.conformance.side-effect'),
        node('c', 'core.conformance.side-effect'),
      ]),
    );
    const runId = await host.create('w');
    await settled();
    expect(await host.status(runId)).toBe('completed');
    expect(host.performed.map((e) => e.key).sort()).toEqual([
      `${runId}/a/1/1/1`,
      `${runId}/b/1/1/1`,
      `${runId}/c/1/1/1`,
    ]);
  });

  it('D2 a repeated request in the round that did not fit is not told that it worked', async () => {
    const disk = leaky();
    const host = await startTestEngine({ wrap: disk.wrap });
    await host.register(noop);
    disk.state.full = true;
    const create = {
      kind: 'create-run',
      caller: CALLER,
      body: { workflowId: 'noop' },
      idempotency: { key: 'k', request: 'r' },
    } as const;
    const replies = await Promise.all([host.execute(create), host.execute(create)]);
    expect(replies).toMatchObject([
      { error: { error: 'storage_full' } },
      { error: { error: 'storage_full' } },
    ]);
  });

  it('D3 registration on a full disk says so', async () => {
    const disk = leaky();
    const host = await startTestEngine({ wrap: disk.wrap });
    disk.state.full = true;
    const reply = await host.execute({
      kind: 'register-workflow',
      caller: CALLER,
      definition: noop as never,
      shared: false,
    });
    expect(reply).toMatchObject({ error: { error: 'storage_full' } });
  });

  it('D4 a due tree is not queued more and more while the disk is full', async () => {
    const disk = leaky();
    const time = handClock();
    const host = await startTestEngine({ wrap: disk.wrap, clock: time.clock });
    await host.register(workflow('timed', [node('wait', 'core.delay', { ms: 10 })]));
    await host.create('timed');
    disk.state.full = true;
    for (let i = 0; i < 40; i += 1) await time.move(20);
    expect(time.alarms()).toBeLessThanOrEqual(3);
    disk.state.full = false;
    await time.move(1000);
  });

  it('D5 an answer after the time-out is refused, whoever looks first', async () => {
    let now = Date.UTC(2026, 0, 1);
    const host = await startTestEngine({ clock: { now: () => now, at: () => () => undefined } });
    await host.register(workflow('w', [node('gate', 'core.approvalGate', { timeoutMs: 1000 })]));
    const runId = await host.create('w');
    now += 60_000;
    const reply = await host.execute({
      kind: 'resolve-interrupt',
      caller: CALLER,
      runId,
      target: { nodeId: 'gate' },
      resumeValue: { action: 'accept' },
      viaToken: false,
      scopes: [],
    });
    expect(reply.ok).toBe(false);
  });

  it('D7 takes no longer a turn than its share of time, however many events a step makes', async () => {
    let time = 0;
    const sizes: number[] = [];
    const host = await startTestEngine({
      elapsed: () => ++time,
      wrap: (store) => ({
        ...store,
        commit: (slices) => {
          for (const slice of slices) sizes.push(slice.runs.reduce((sum, run) => sum + run.events.length, 0));
          return store.commit(slices);
        },
      }),
    });
    const ids = Array.from({ length: 100 }, (_, index) => `n${index}`);
    await host.register(
      workflow(
        'long',
        ids.map((id) => node(id, 'core.noop')),
        {
          edges: ids.slice(1).map((id, index) => edge(ids[index]!, id)),
        },
      ),
    );
    const runId = await host.create('long');
    for (let turns = 0; turns < 50 && (await host.status(runId)) === 'running'; turns += 1) await settled();
    expect(await host.status(runId)).toBe('completed');
    expect(Math.max(...sizes)).toBeLessThan(32);
  });

  it('D8 ends a run whose dispatch node is disabled', async () => {
    const host = await startTestEngine();
    const nodes = [
      node('supervisor', 'core.orchestrator.supervisor', { mockDispatchPlan: [hand('noop'), TERMINATE] }),
      node('dispatch', 'core.dispatch', {}, { disabled: true }),
    ];
    await host.register(workflow('boss', nodes, { edges: LOOP_EDGES }), noop);
    const runId = await host.create('boss');
    expect(await host.status(runId)).toBe('completed');
    expect((await host.types(runId)).filter((type) => type === 'node.skipped')).toHaveLength(1);
  });
});
