import { CONFORMANCE } from '@baton/conformance/engine';
import { startEngine } from '@baton/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { answer, effect as effectNode, expectSameFrom, gate } from './forking.ts';
import { acting, BUSY, DONE, heldEffects, twoHosts } from './held-effects.ts';
import { CALLER, creationOf, handClock, on, runIdOf, settled, startTestEngine } from './test-engine.ts';

/** Effects from their intent to their outcome: under way, aborted, tried again, and owned by one host. */

describe('an effect under way', () => {
  it('is aborted when its run is cancelled', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform });
    await host.register(acting());
    const runId = await host.create('w');
    expect(calls[0]?.context.signal.aborted).toBe(false);
    await host.execute(on('cancel-run', runId));
    await settled();
    expect(calls[0]?.context.signal.aborted).toBe(true);
  });

  it('is aborted when the time of its node is over', async () => {
    const time = handClock();
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform, clock: time.clock });
    await host.register(
      acting({}, { settings: { timeoutMs: 100, retry: { maxRetries: 1, backoffMs: 10 } } }),
    );
    await host.create('w');
    await time.move(100);
    await time.move(10);
    expect(calls.map(({ context }) => context.signal.aborted)).toEqual([true, false]);
  });

  it('is aborted when its sibling fails the node', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform });
    await host.register(acting({ times: 2, atOnce: 2 }));
    const runId = await host.create('w');
    await calls[0]?.finish(BUSY);
    expect(await host.status(runId)).toBe('failed');
    expect(calls[1]?.context.signal.aborted).toBe(true);
  });

  it('is not aborted by what happens elsewhere in its tree, nor begun twice', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform });
    await host.register(workflow('w', [effectNode('act'), gate('gate')]));
    const runId = await host.create('w');
    await answer(host, runId, 'gate');
    expect(calls.map(({ context }) => context.signal.aborted)).toEqual([false]);
    await calls[0]?.finish();
    expect(await host.status(runId)).toBe('completed');
  });

  it('is aborted when the engine stops', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform });
    await host.register(acting());
    await host.create('w');
    await host.engine.stop();
    expect(calls[0]?.context.signal.aborted).toBe(true);
  });

  it('reports its progress as events of the run, until its outcome is recorded', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform });
    await host.register(acting());
    const runId = await host.create('w');
    calls[0]?.context.progress('Once upon ');
    calls[0]?.context.progress('a time', true);
    await settled();
    await calls[0]?.finish();
    calls[0]?.context.progress('too late');
    await settled();
    const chunks = (await host.events(runId)).filter((event) => event.type === 'output.chunk');
    expect(chunks.map(({ payload }) => payload)).toEqual([
      { nodeId: 'act', runId, channel: '1', chunk: 'Once upon ', isLast: false },
      { nodeId: 'act', runId, channel: '1', chunk: 'a time', isLast: true },
    ]);
    await expectSameFrom(host, runId);
    expect(host.performed).toHaveLength(1);
  });

  it('does not report progress of a run with sensitive values', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform });
    await host.register(acting({}, { outputSensitivity: { card: true } }));
    const runId = await host.create('w');
    expect(calls[0]?.effect.confidential).toBe(true);
    calls[0]?.context.progress('card 4111');
    await calls[0]?.finish();
    expect(await host.types(runId)).not.toContain('output.chunk');
  });
});

describe('effects of one kind', () => {
  it('are performed so many at once', async () => {
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform, limits: { effectsAtOnce: 2 } });
    await host.register(acting({ times: 3, atOnce: 3 }));
    const runId = await host.create('w');
    // One of the two slots is kept for other tenants.
    expect(calls).toHaveLength(1);
    for (const at of [0, 1, 2]) await calls[at]?.finish();
    expect(await host.status(runId)).toBe('completed');
  });
});

describe('an attempt of a node', () => {
  it('that was given up ignores the outcome of its effect', async () => {
    const { calls, perform } = heldEffects();
    const time = handClock();
    const host = await startTestEngine({ clock: time.clock, perform });
    await host.register(acting({}, { settings: { timeoutMs: 10, retry: { maxRetries: 1, backoffMs: 0 } } }));
    const runId = await host.create('w');
    await time.move(10);
    await time.move(1);
    await calls[0]?.finish();
    expect(await host.status(runId)).toBe('running');
    await calls[1]?.finish({ kind: 'done', outputs: { attempt: 2 } });
    const [completed] = await host.of(runId, 'node.completed');
    expect(completed?.payload).toMatchObject({ outputs: { attempt: 2 } });
  });

  it('fails when its effect could not even be tried', async () => {
    const host = await startTestEngine({ perform: () => Promise.reject(new Error('no route')) });
    await host.register(acting());
    const [failed] = await host.of(await host.create('w'), 'run.failed');
    expect(failed?.payload.error.message).toContain('no route');
  });
});

describe('a node with many effects', () => {
  it('repeats after a crash only the effect that was under way', async () => {
    const { calls, perform } = heldEffects();
    const before = await startTestEngine({ perform });
    await before.register(acting({ times: 3 }));
    const runId = await before.create('w');
    await calls[0]?.finish({ kind: 'done', outputs: { n: 1 } });
    const after = await before.crash({ perform: async () => DONE });
    expect(after.performed.map(({ key }) => key)).toEqual([`${runId}/act/1/1/2`, `${runId}/act/1/1/3`]);
    expect(await after.status(runId)).toBe('completed');
    await expectSameFrom(after, runId);
  });
});

describe('an effect that failed', () => {
  async function failed(times = 1) {
    const time = handClock();
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({ perform, clock: time.clock });
    await host.register(acting({ tries: 3, times }));
    const runId = await host.create('w');
    await calls[0]?.finish({ ...BUSY, retryAfterMs: 5000 });
    return { time, calls, host, runId };
  }

  it('is tried again when its time has come, also after a crash', async () => {
    const { time, calls, host, runId } = await failed();
    await time.move(4000);
    expect(calls).toHaveLength(1);
    const after = await host.crash({ clock: time.clock, perform: async () => DONE });
    expect(after.performed).toEqual([]);
    await time.move(1000);
    expect(after.performed).toMatchObject([{ key: `${runId}/act/1/1/1`, tries: 2 }]);
    expect(await after.status(runId)).toBe('completed');
    await expectSameFrom(after, runId);
  });

  it('does not take the outcome of an earlier try', async () => {
    const { host, runId } = await failed();
    const named = { runId, key: `${runId}/act/1/1/1`, nodeId: 'act', execution: 1, attempt: 1, step: 1 };
    await host.execute({ kind: 'effect-outcome', ...named, tries: 1, outcome: DONE });
    expect(await host.status(runId)).toBe('running');
    await host.execute({ kind: 'effect-outcome', ...named, tries: 2, outcome: DONE });
    expect(await host.status(runId)).toBe('completed');
  });

  it('is not tried again after its run was cancelled', async () => {
    const { time, calls, host, runId } = await failed();
    await host.execute(on('cancel-run', runId));
    await time.move(6000);
    expect(calls).toHaveLength(1);
  });

  it('fails a replay of its run in the same way, without being performed', async () => {
    const { time, calls, host, runId } = await failed(2);
    await time.move(5000);
    await calls[1]?.finish();
    await calls[2]?.finish({ ...BUSY, retryable: false });
    expect(await host.status(runId)).toBe('failed');
    await expectSameFrom(host, runId);
    expect(calls).toHaveLength(3);
  });
});

describe('two hosts on one store', () => {
  it('an effect is performed by the host that intended it, also while another drives the tree', async () => {
    const { one, two, runId, first, second } = await twoHosts(
      workflow('w', [node('act', 'core.conformance.side-effect', { times: 2 }), gate('gate')]),
    );
    await answer(two, runId, 'gate');
    await two.recover();
    await two.idle();
    await settled();
    expect([first.length, second.length]).toEqual([1, 0]);
    await first[0]?.finish();
    await first[1]?.finish();
    expect(second).toEqual([]);
    expect(await one.status(runId)).toBe('completed');
    expect(one.fatal).toEqual([]);
  });

  it('the effects of a lost host are performed by another, and a late outcome counts once', async () => {
    const { one, two, runId, alive, first, second } = await twoHosts(acting({ times: 2 }));
    await two.recover();
    await two.idle();
    await settled();
    expect(second).toEqual([]);
    alive.shift();
    await two.recover();
    await two.idle();
    await settled();
    expect(second.map(({ effect }) => effect.key)).toEqual([`${runId}/act/1/1/1`]);
    await first[0]?.finish();
    await second[0]?.finish();
    await two.idle();
    await settled();
    const settledSteps = (await one.events(runId)).filter(({ type }) => type === 'baton.effect.settled');
    expect(settledSteps).toHaveLength(1);
  });
});

it('leaves it to another scheduler when effects and trees have their turn', async () => {
  const store = (await startTestEngine()).store;
  const told: string[] = [];
  const { calls, perform } = heldEffects();
  const engine = await startEngine({
    store,
    effects: { perform },
    extension: CONFORMANCE,
    scheduler: (turn) => ({
      wake: (rootId) => void told.push(`wake ${rootId}`),
      perform(effect, at) {
        told.push(`perform ${effect.key} at ${at}`);
        turn.perform(effect);
      },
      withdraw: () => undefined,
      recover: async () => undefined,
      adopt: async () => undefined,
      stop: () => undefined,
    }),
    onFatal: (error) => void expect.unreachable(String(error)),
  });
  onTestFinished(() => engine.stop());
  await engine.execute({
    kind: 'register-workflow',
    caller: CALLER,
    definition: acting() as never,
    shared: false,
  });
  const runId = runIdOf(await engine.execute(creationOf('w')));
  await engine.idle();
  expect(told).toEqual(expect.arrayContaining([`wake ${runId}`, `perform ${runId}/act/1/1/1 at 0`]));
  expect(calls).toHaveLength(1);
});

describe('the store', () => {
  it('is told who performs an effect in the slice that intends it, and that it is settled', async () => {
    const told: unknown[] = [];
    const { calls, perform } = heldEffects();
    const host = await startTestEngine({
      perform,
      ownership: { owner: 'one', alive: () => [] },
      wrap: (store) => ({
        ...store,
        commit(slices) {
          told.push(...slices.flatMap(({ effects, lateOutcome }) => effects ?? lateOutcome ?? []));
          return store.commit(slices);
        },
        claimEffects: () => expect.unreachable('an effect of its own needs no claim'),
      }),
    });
    await host.register(acting({ times: 3, atOnce: 2 }));
    const runId = await host.create('w');
    const effect = (step: number) => ({ runId, key: `${runId}/act/1/1/${step}` });
    await calls[0]?.finish();
    await host.execute(on('cancel-run', runId));
    // Calls that were aborted have no outcome, and one that was done all the same is kept.
    await calls[1]?.finish(BUSY);
    await calls[2]?.finish();
    expect(told).toEqual([
      { owner: 'one', begun: [effect(1), effect(2)], settled: [] },
      { owner: 'one', begun: [effect(3)], settled: [effect(1)] },
      { owner: 'one', begun: [], settled: [effect(2), effect(3)] },
      expect.objectContaining({ key: effect(3).key, outcome: DONE }),
    ]);
    expect(host.fatal).toEqual([]);
  });
});
