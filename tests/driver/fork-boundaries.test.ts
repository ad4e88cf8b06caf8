import { modelCalls } from '@baton/agents';
import type { EventOf, RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { look, node, remember } from '../../packages/engine/src/testkit/workflows.ts';
import { createMockProvider, type MockEntry } from '../../packages/server/src/models/mock.ts';
import { verifies } from '../verifies.ts';
import { after, answer, child, effect, gate, line, quiet, replay, start } from './forking.ts';
import { fork, purgeAll } from './rewinding.ts';
import { type Bench, CALLER, handClock, startTestEngine } from './test-engine.ts';

/** Forks where two of their rules meet: memory of children, divergence and effects, attempts and outcomes. */

const SCHEMA = { type: 'object', required: ['valid'], properties: { valid: { type: 'boolean' } } };
const call = (id: string) =>
  node(
    id,
    'core.ai.structuredOutput',
    { provider: 'mock', model: 'mock-mini', outputSchema: SCHEMA },
    { inputs: { messages: { type: 'static', value: [{ role: 'user', content: 'Is it so?' }] } } },
  );
const YES: MockEntry = { content: '{"valid":true}', stopReason: 'end_turn' };
const NO: MockEntry = { content: '{"valid":false}', stopReason: 'end_turn' };
const REFUSED: MockEntry = { content: '', stopReason: 'safety', refusalText: 'I would rather not.' };
const RETRY = { settings: { retry: { maxRetries: 1, backoffMs: 0 } } };
const DAY = 86_400_000;

const eventsOf = async <T extends RunEvent['type']>(top: Bench, runId: string, type: T) =>
  (await top.events(runId)).filter((event): event is EventOf<T> => event.type === type);
const about = async (top: Bench, runId: string, nodeId: string) =>
  (await top.events(runId)).filter((event) => event.nodeId === nodeId);

/** Models answer by program; any other effect fails at its first attempt and is done at its second. */
async function host() {
  const mock = createMockProvider();
  const models = modelCalls({ provider: () => mock });
  const top = await startTestEngine({
    perform: async (given, context) => {
      if (given.nodeId !== 'effect') return models(given, context);
      if (given.attempt === 1) return { kind: 'failed', error: { code: 'busy', message: 'at first' } };
      return { kind: 'done', outputs: { attempt: given.attempt } };
    },
  });
  const say = (nodeId: string, entry: MockEntry) => mock.program(CALLER.tenant, nodeId, [entry]);
  return { top, say };
}

describe('a fork of a run whose child was under way', () => {
  it.each(['branch', 'replay'])(
    'is refused as a %s when the memory of the child is gone, though its parent has none',
    async (mode) => {
      verifies('MEM-11', 'FAIL-04');
      const time = handClock();
      const top = await startTestEngine({ clock: time.clock });
      const parent = line('parent', [child('call', 'notes')]);
      await top.register(
        { ...parent, nodes: [...(parent.nodes as object[]), node('wait', 'core.delay', { ms: 1000 })] },
        line('notes', [remember('w', { key: 'k', content: 'mine' }), gate('gate'), look('r')]),
      );
      const source = await start(top, 'parent');
      await time.move(1000);
      await answer(top, `${source}.1`, 'gate');
      expect(await top.status(source)).toBe('completed');
      await time.move(DAY);
      const twin = await replay(top, source);
      const cut = await after(top, twin, 'node.completed', 'wait');
      expect((await fork(top, twin, { mode: 'branch', fromSeq: cut })).refused).toBeUndefined();
      await purgeAll(top, time.clock.now());
      expect(await top.reads.run(CALLER.tenant, source)).toHaveProperty('purgedAt');
      const runs = async () => (await top.reads.runs({ tenant: CALLER.tenant, limit: 100 })).items.length;
      const before = await runs();
      const { refused } = await fork(top, twin, { mode, fromSeq: cut });
      expect(refused).toMatchObject({
        error: 'replay_memory_snapshot_unavailable',
        details: { fromSeq: cut, sourceRunId: twin, reason: 'retention_expired' },
      });
      expect(await runs()).toBe(before);
    },
  );
});

describe('a replay that has gone its own way', () => {
  it('names the place of the refusal in the log of its source, and not in its own', async () => {
    verifies('REPLAY-06');
    const { top, say } = await host();
    await top.register(line('both', [call('first'), call('call')]));
    say('first', YES);
    say('call', YES);
    const source = await start(top, 'both');
    say('first', NO);
    say('call', REFUSED);
    const twin = await replay(top, source);
    const answered = (await about(top, source, 'call')).find(({ type }) => type === 'baton.effect.settled');
    const [diverged] = await eventsOf(top, twin, 'replay.divergedAtRefusal');
    expect(diverged?.payload).toMatchObject({
      sourceRunId: source,
      atSequence: answered?.sequence,
      originalEventId: answered?.eventId,
      nodeId: 'call',
    });
    expect(diverged?.sequence).not.toBe(answered?.sequence);
  });

  it('gives each attempt of an effect the outcome of that attempt', async () => {
    verifies('REPLAY-09');
    const { top, say } = await host();
    await top.register(line('tries', [call('call'), effect('effect', RETRY)]));
    say('call', YES);
    const source = await start(top, 'tries');
    expect(await top.status(source)).toBe('completed');
    const performed = top.performed.length;
    say('call', NO);
    const twin = await replay(top, source);
    expect(await top.types(twin)).toContain('replay.diverged');
    const told = async (runId: string) =>
      (await about(top, runId, 'effect')).map(({ type, payload }) => ({ type, payload }));
    expect(await told(twin)).toEqual(await told(source));
    expect((await told(twin)).map(({ type }) => type)).toEqual([
      'node.started',
      'baton.effect.intended',
      'baton.effect.settled',
      'node.retried',
      'node.started',
      'baton.effect.intended',
      'baton.effect.settled',
      'node.completed',
    ]);
    // The model was asked again to compare its answer; the effect was not performed.
    expect(top.performed.length).toBe(performed + 1);
  });

  it('gives each try of an effect its outcome, after the time that it waited', async () => {
    verifies('REPLAY-09');
    const time = handClock();
    const mock = createMockProvider();
    const models = modelCalls({ provider: () => mock });
    const top = await startTestEngine({
      clock: time.clock,
      perform: async (given, context) => {
        if (given.kind === 'model.call') return models(given, context);
        if (given.tries === 1) return { kind: 'failed', error: { code: 'busy', message: 'at first' } };
        return { kind: 'done', outputs: { tries: given.tries } };
      },
    });
    const tried = node('tried', 'core.conformance.side-effect', { tries: 2 });
    await top.register(line('tries', [call('call'), tried]));
    mock.program(CALLER.tenant, 'call', [YES]);
    const source = await start(top, 'tries');
    await time.move(100);
    expect(await top.status(source)).toBe('completed');
    mock.program(CALLER.tenant, 'call', [NO]);
    const twin = await replay(top, source);
    expect(await top.types(twin)).toContain('replay.diverged');
    expect(await top.types(twin)).toContain('baton.effect.retried');
    expect(await top.status(twin)).toBe('running');
    await time.move(100);
    await quiet();
    expect(await top.status(twin)).toBe('completed');
    expect((await about(top, twin, 'tried')).map(({ payload }) => payload)).toEqual(
      (await about(top, source, 'tried')).map(({ payload }) => payload),
    );
    expect(top.performed.map(({ kind }) => kind)).toEqual([
      'model.call',
      'conformance.side-effect',
      'conformance.side-effect',
      'model.call',
    ]);
  });

  it('has no outcome for an attempt that the source did not make', async () => {
    verifies('REPLAY-09');
    const { top, say } = await host();
    await top.register(line('once', [call('call'), effect('effect')]));
    say('call', YES);
    const source = await start(top, 'once');
    expect(await top.status(source)).toBe('failed');
    say('call', NO);
    const twin = await replay(top, source);
    expect((await eventsOf(top, twin, 'node.failed')).map(({ payload }) => payload.error.code)).toEqual([
      'busy',
    ]);
  });
});

describe('an effect without a recorded outcome', () => {
  it('is not tried again in a replay, whatever the node says about retries', async () => {
    verifies('REPLAY-14', 'FAIL-06');
    const time = handClock();
    const top = await startTestEngine({ clock: time.clock });
    await top.register(line('held', [node('hold', 'core.delay', { ms: 5000 }), effect('effect', RETRY)]));
    const source = await start(top, 'held');
    await top.execute({ kind: 'cancel-run', caller: CALLER, runId: source });
    const twin = await replay(top, source);
    await time.move(5000);
    await quiet();
    expect(await top.status(twin)).toBe('failed');
    expect((await about(top, twin, 'effect')).map(({ type }) => type)).toEqual([
      'node.started',
      'baton.effect.intended',
      'node.failed',
    ]);
    expect((await eventsOf(top, twin, 'node.failed'))[0]?.payload).toMatchObject({
      attempts: 1,
      error: { code: 'replay_source_missing' },
    });
    expect(top.performed).toEqual([]);
  });
});
