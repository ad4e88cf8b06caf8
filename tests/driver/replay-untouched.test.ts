import { modelCalls } from '@baton/agents';
import { describe, expect, it } from 'vitest';
import {
  boss,
  edge,
  hand,
  inOrder,
  LOOP_EDGES,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../packages/engine/src/testkit/workflows.ts';
import { createMockProvider } from '../../packages/server/src/models/mock.ts';
import {
  answer,
  child,
  effect,
  expectSameFrom,
  gate,
  line,
  logOf,
  quiet,
  replay,
  start,
  treeOf,
} from './forking.ts';
import { type Bench, CALLER, handClock, startTestEngine } from './test-engine.ts';

/** Replays of runs that nobody touched: whatever stopped them, the replay does not say that it came out otherwise. */

const never = () => new Promise<never>(() => undefined);
const BREAKS = { condition: { expression: '1/0 == 1' } };

async function cancel(top: Bench, runId: string): Promise<void> {
  expect(await top.execute({ kind: 'cancel-run', caller: CALLER, runId })).toMatchObject({ ok: true });
  await quiet();
}

/** A supervisor whose worker waits for a person. */
const SUPERVISED = [boss([hand('waits'), TERMINATE]), waitingWorker('waits')];

describe('a replay of a run that was cancelled', () => {
  it('goes on from where a supervisor was cancelled while its worker was under way', async () => {
    const top = await startTestEngine();
    await top.register(...SUPERVISED);
    const source = await start(top, 'boss');
    const before = (await top.events(source)).length;
    await cancel(top, source);
    for (const { sequence } of await top.events(source)) {
      const twin = await replay(top, source, sequence);
      for (const runId of await treeOf(top, twin))
        expect(await top.types(runId)).not.toContain('replay.diverged');
      if (sequence >= before) continue;
      const names = [twin, source];
      expect(await logOf(top, twin, ...names)).toEqual((await logOf(top, source, ...names)).slice(0, before));
      expect(await top.status(twin)).toBe('waiting-approval');
    }
  });

  it('goes on alone from where its source was cancelled, also after it was loaded again', async () => {
    let now = Date.UTC(2026, 0, 1);
    const top = await startTestEngine({ clock: { now: () => now, at: () => () => {} } });
    await top.register(
      line('parent', [child('call', 'lives-on', { waitForCompletion: false }), gate('wait')]),
      line('lives-on', [gate('first'), gate('second'), node('end', 'core.noop')]),
    );
    const source = await start(top, 'parent');
    await cancel(top, source);
    now += 1000;
    await answer(top, `${source}.1`, 'first');
    await answer(top, `${source}.1`, 'second');
    expect(await top.status(`${source}.1`)).toBe('completed');
    now += 1000;
    const twin = await replay(top, source);
    await answer(top, `${twin}.1`, 'first', { action: 'accept', comment: 'I see it otherwise.' });
    expect(await top.status(`${twin}.1`)).toBe('waiting-approval');
    const again = await top.crash();
    await answer(again, twin, 'wait');
    expect(await again.status(twin)).toBe('completed');
    expect(await again.status(`${twin}.1`)).toBe('waiting-approval');
    expect(await again.types(`${twin}.1`)).not.toContain('replay.diverged');
  });

  it('repeats that a person cancelled a supervisor below it, with its worker', async () => {
    const top = await startTestEngine();
    await top.register(line('parent', [child('call', 'boss', { onChildFailure: 'absorb' })]), ...SUPERVISED);
    const source = await start(top, 'parent');
    await cancel(top, `${source}.1`);
    expect(await top.status(`${source}.1.1`)).toBe('cancelled');
    await expectSameFrom(top, source);
  });

  it('repeats that a person cancelled a supervisor without chain events', async () => {
    const top = await startTestEngine();
    await top.execute({ kind: 'toggle-capability', name: 'multiAgent.executionModel', value: false });
    await top.register(line('parent', [child('call', 'boss', { onChildFailure: 'absorb' })]), ...SUPERVISED);
    const source = await start(top, 'parent');
    await cancel(top, `${source}.1`);
    await expectSameFrom(top, source);
  });
});

describe('a replay that is cancelled before it is done', () => {
  it('ends there, and does not say that it came out otherwise', async () => {
    const answers = modelCalls({ provider: () => createMockProvider() });
    const top: Bench = await startTestEngine({
      perform: (call, context) => (top.performed.length > 1 ? never() : answers(call, context)),
    });
    const outputSchema = { type: 'object' };
    const more = ['a', 'b', 'c', 'd'].map((id) => node(id, 'core.noop'));
    const messages = { type: 'static', value: [{ role: 'user', content: 'So?' }] };
    const model = { provider: 'mock', model: 'mock-mini', outputSchema };
    await top.register(
      line('parent', [child('call', 'asks'), ...more]),
      line('asks', [node('ask', 'core.ai.structuredOutput', model, { inputs: { messages } }), ...more]),
    );
    const source = await start(top, 'parent');
    expect(await top.status(source)).toBe('completed');
    const twin = await replay(top, source);
    expect(await top.status(twin)).toBe('running');
    await cancel(top, twin);
    for (const runId of await treeOf(top, twin)) {
      expect((await top.types(runId)).at(-1)).toBe('run.cancelled');
      expect(await top.types(runId)).not.toContain('replay.diverged');
    }
  });
});

describe('a replay of a run that failed', () => {
  it('repeats a condition that throws while an effect is under way', async () => {
    const top = await startTestEngine({ perform: never });
    await top.register(
      workflow('breaks', [effect('call'), node('first', 'core.noop'), node('second', 'core.noop')], {
        edges: [edge('first', 'second', BREAKS)],
      }),
    );
    const source = await start(top, 'breaks');
    expect(await top.status(source)).toBe('failed');
    await expectSameFrom(top, source);
  });

  it('repeats a condition that throws while workers are under way, two levels below', async () => {
    const { clock, move } = handClock();
    const top = await startTestEngine({ clock });
    const aside = [node('wait', 'core.delay', { delayMs: 5 }), node('first', 'core.noop')];
    await top.register(
      workflow(
        'boss',
        [
          node('supervisor', 'core.orchestrator.supervisor', { mockDispatchPlan: [hand('middle')] }),
          node('dispatch', 'core.dispatch'),
          ...aside,
          node('second', 'core.noop'),
        ],
        { edges: [...LOOP_EDGES, ...inOrder(aside), edge('first', 'second', BREAKS)] },
      ),
      { ...boss([hand('waits')]), id: 'middle' },
      waitingWorker('waits'),
    );
    const source = await start(top, 'boss');
    await move(5);
    expect(await top.status(source)).toBe('failed');
    expect(await top.status(`${source}.1.1`)).toBe('cancelled');
    await expectSameFrom(top, source);
  });

  it('repeats that its time was over while a worker was under way', async () => {
    const { clock, move } = handClock();
    const top = await startTestEngine({ clock });
    await top.register({ ...SUPERVISED[0], settings: { timeout: 1000 } }, SUPERVISED[1]);
    const source = await start(top, 'boss');
    await move(5000);
    expect(await top.status(source)).toBe('failed');
    await expectSameFrom(top, source);
  });

  it('repeats that a node was over its time while its worker was under way', async () => {
    const { clock, move } = handClock();
    const top = await startTestEngine({ clock });
    const dispatch = node('dispatch', 'core.dispatch', {}, { settings: { timeoutMs: 1000 } });
    const plan = { mockDispatchPlan: [hand('waits')] };
    await top.register(
      workflow('boss', [node('supervisor', 'core.orchestrator.supervisor', plan), dispatch], {
        edges: LOOP_EDGES,
      }),
      SUPERVISED[1],
    );
    const source = await start(top, 'boss');
    await move(5000);
    expect(await top.status(source)).toBe('failed');
    await expectSameFrom(top, source);
  });
});

describe('a replay after the host was changed', () => {
  it('refuses the workers that its source refused, though they are registered by now', async () => {
    const top = await startTestEngine();
    await top.register(
      boss([hand('missing', 'picky'), TERMINATE]),
      workflow('picky', [node('work', 'core.noop')], {
        variables: [{ name: 'topic', type: 'string', required: true }],
      }),
      line('parent', [
        child('call', 'boss'),
        child('sub', 'lost', {}, { settings: { retry: { maxRetries: 1 } } }),
      ]),
    );
    const source = await start(top, 'parent');
    expect(JSON.stringify(await top.events(`${source}.1`))).toContain('worker_not_found');
    expect(JSON.stringify(await top.events(`${source}.1`))).toContain('input_missing');
    expect(await top.status(source)).toBe('failed');
    await top.register(worker('missing'), worker('picky'), worker('lost'));
    await expectSameFrom(top, source);
  });

  it('fails what a critic could not judge, though the critic is registered by now', async () => {
    const top = await startTestEngine();
    const gated = { settings: { verifier: { workflowId: 'critic' } } };
    await top.register(
      line('parent', [child('call', 'good', { onChildFailure: 'absorb' }, gated)]),
      worker('good'),
    );
    const source = await start(top, 'parent');
    expect(JSON.stringify(await top.events(source))).toContain('verdict-failed');
    await top.register(worker('critic', { verdict: 'pass' }));
    await expectSameFrom(top, source);
  });

  it.each([
    [0.5, 0.9],
    [0.9, 0.5],
  ])('escalates where its source did: at a floor of %d, and then of %d', async (then, now) => {
    const top = await startTestEngine({ limits: { confidenceFloor: then } });
    const gated = node('dispatch', 'core.dispatch', {}, { settings: { verifier: { workflowId: 'critic' } } });
    const plan = [{ ...hand('good'), confidence: 0.7 }, TERMINATE];
    await top.register(
      workflow(
        'boss',
        [node('supervisor', 'core.orchestrator.supervisor', { mockDispatchPlan: plan }), gated],
        {
          edges: LOOP_EDGES,
        },
      ),
      worker('good', { text: 'x' }),
      worker('critic', { verdict: 'pass', confidence: 0.7 }),
    );
    const source = await start(top, 'boss');
    for (const nodeId of then > 0.7 ? ['supervisor', 'dispatch'] : []) {
      const reply = await top.execute({
        kind: 'resolve-interrupt',
        caller: CALLER,
        runId: source,
        target: { nodeId },
        resumeValue: { action: 'accept' },
        viaToken: false,
        scopes: [],
      });
      expect(reply).toMatchObject({ ok: true });
      await quiet();
    }
    expect(await top.status(source)).toBe('completed');
    const again = await top.crash({ limits: { confidenceFloor: now } });
    await expectSameFrom(again, source);
  });
});
