import { modelCalls } from '@baton/agents';
import type { Effect, EffectContext } from '@baton/engine';
import type { RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { createMockModel, type MockEntry } from '../../packages/conformance/src/seams/mock-model.ts';
import { look, node, remember, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { verifies } from '../verifies.ts';
import {
  answer,
  child,
  effect,
  expectSameFrom,
  fork,
  gate,
  line,
  logOf,
  quiet,
  start,
  treeOf,
} from './forking.ts';
import { saw } from './rewinding.ts';
import {
  type Bench,
  type BenchOptions,
  CALLER,
  disk,
  handClock,
  on,
  settled,
  startTestEngine,
} from './test-engine.ts';

/** Models that a replay asks again: their answers are compared, never swapped. */

const SCHEMA = { type: 'object', required: ['valid'], properties: { valid: { type: 'boolean' } } };
const call = (id: string) =>
  node(
    id,
    'core.ai.structuredOutput',
    { provider: 'mock', model: 'mock-mini', outputSchema: SCHEMA },
    { inputs: { messages: { type: 'static', value: [{ role: 'user', content: 'Is it so?' }] } } },
  );
const ONE = workflow('one', [call('call')]);
const YES: MockEntry = { content: '{"valid":true}', stopReason: 'end_turn' };
const NO: MockEntry = { content: '{"valid":false}', stopReason: 'end_turn' };
const REFUSED: MockEntry = { content: '', stopReason: 'safety', refusalText: 'I would rather not.' };

/** Models answer by program, everything else as the test wants it. */
async function host(options: BenchOptions = {}) {
  const mock = createMockModel();
  const models = modelCalls({ provider: () => mock });
  const { perform } = options;
  const top = await startTestEngine({
    ...options,
    perform: (given, context) =>
      given.kind === 'model.call' || perform === undefined ? models(given, context) : perform(given, context),
  });
  const say = (entry: MockEntry, nodeId = 'call') => mock.program(CALLER.tenant, nodeId, [entry]);
  return { top, say };
}

/** Models answer only when they are let to, and only to effects that are meant. */
function heldModels(isHeld: (effect: Effect) => boolean = () => true) {
  const mock = createMockModel();
  const models = modelCalls({ provider: () => mock });
  mock.program(CALLER.tenant, 'call', [YES]);
  const held: (() => void)[] = [];
  return {
    perform: async (effect: Effect, context: EffectContext) => {
      if (isHeld(effect)) await new Promise<void>((resolve) => held.push(resolve));
      return models(effect, context);
    },
    letAnswer: () => {
      for (const comeBack of held.splice(0)) comeBack();
    },
  };
}

const replay = (top: Bench, runId: string, body: Record<string, unknown> = {}) =>
  fork(top, runId, { mode: 'replay', ...body });

const eventOf = async <T extends RunEvent['type']>(top: Bench, runId: string, type: T) =>
  (await top.of(runId, type))[0];
const about = async (top: Bench, runId: string, nodeId: string) =>
  (await top.events(runId)).filter((event) => event.nodeId === nodeId);

async function expectSame(top: Bench, twin: string, source: string): Promise<void> {
  expect(await logOf(top, twin, twin, source)).toEqual(await logOf(top, source, twin, source));
}

describe('a replay that asks a model again', () => {
  it('REPLAY-08 is its source once more when the answer is the same', async () => {
    const { top, say } = await host();
    await top.register(ONE);
    say(YES);
    const source = await top.create('one');
    const twin = await replay(top, source);
    expect(top.performed).toHaveLength(2);
    await expectSame(top, twin, source);
  });

  it('asks in the pause in which its source had the answer', async () => {
    const { perform, letAnswer } = heldModels(() => !isPaused);
    let isPaused = false;
    const top = await startTestEngine({ perform });
    await top.register(ONE);
    const source = await top.create('one');
    await top.execute(on('pause-run', source));
    isPaused = true;
    letAnswer();
    await settled();
    await top.execute(on('resume-run', source));
    const twin = await replay(top, source);
    expect(await top.types(source)).toEqual(expect.arrayContaining(['run.paused', 'run.completed']));
    await expectSame(top, twin, source);
    expect(top.performed).toHaveLength(2);
  });

  it.each([
    ['refuses where the source had an answer', YES, REFUSED, 'valid', 'refusal'],
    ['answers where the source was refused', REFUSED, YES, 'refusal', 'valid'],
  ] as const)(
    'REPLAY-04 REPLAY-05 REPLAY-06 READ-13 fails when the model %s',
    async (_name, before, after, originalEnvelopeKind, replayEnvelopeKind) => {
      const { top, say } = await host();
      await top.register(ONE);
      say(before);
      const source = await top.create('one');
      say(after);
      const twin = await replay(top, source);
      expect(await top.status(twin)).toBe('failed');
      expect((await eventOf(top, twin, 'replay.divergedAtRefusal'))?.payload).toEqual({
        sourceRunId: source,
        atSequence: 3,
        originalEventId: `${source}:3`,
        nodeId: 'call',
        originalEnvelopeKind,
        replayEnvelopeKind,
      });
      expect((await eventOf(top, twin, 'run.failed'))?.payload.error.code).toBe('replay_diverged_at_refusal');
      // Neither outcome was put in the place of the other.
      expect(await top.types(twin)).not.toContain('node.completed');
      expect(await top.types(twin)).not.toContain('envelope.refusal');
    },
  );

  it('says so when the answer is another one, and goes on with it', async () => {
    const { top, say } = await host();
    await top.register(line('two', [call('call'), node('end', 'core.noop')]));
    say(YES);
    const source = await top.create('two');
    say(NO);
    const twin = await replay(top, source);
    expect(await top.status(twin)).toBe('completed');
    const diverged = await eventOf(top, twin, 'replay.diverged');
    expect(diverged?.payload).toMatchObject({ sourceRunId: source, divergenceKind: 'output' });
    const completed = (await top.events(twin)).find((event) => event.type === 'node.completed');
    expect(completed?.payload).toMatchObject({ outputs: { data: { valid: false } } });
    expect(completed?.sequence).toBeGreaterThan(diverged?.sequence ?? Number.POSITIVE_INFINITY);
  });

  it('compares later calls too, once it goes its own way, with their places in the log of its source', async () => {
    verifies('REPLAY-06');
    const { top, say } = await host();
    await top.register(line('both', [call('first'), call('call')]));
    say(YES, 'first');
    say(YES);
    const source = await top.create('both');
    say(NO, 'first');
    say(REFUSED);
    const twin = await replay(top, source);
    const answered = (await about(top, source, 'call')).find(({ type }) => type === 'baton.effect.settled');
    const diverged = await eventOf(top, twin, 'replay.divergedAtRefusal');
    expect(diverged?.payload).toMatchObject({
      sourceRunId: source,
      atSequence: answered?.sequence,
      originalEventId: answered?.eventId,
      nodeId: 'call',
    });
    expect(diverged?.sequence).not.toBe(answered?.sequence);
    expect(await top.types(twin)).toContain('replay.diverged');
    expect(await top.status(twin)).toBe('failed');
  });

  it('asks again after a crash, and comes to the same', async () => {
    const { perform } = heldModels(() => false);
    const never = () => new Promise<never>(() => undefined);
    const first = await startTestEngine({ perform });
    await first.register(ONE);
    const source = await first.create('one');
    const second = await first.crash({ perform: never });
    const twin = await replay(second, source);
    expect(await second.status(twin)).toBe('running');
    const third = await second.crash({ perform });
    expect(await third.status(twin)).toBe('completed');
    expect(await third.types(twin)).toEqual(await third.types(source));
  });
});

describe('an answer that a replay waits for', () => {
  it('is compared wherever a page of the source ends', async () => {
    const { top, say } = await host();
    const steps = Array.from({ length: 130 }, (_, at) => node(`step${at}`, 'core.noop'));
    await top.register(line('long', [...steps, call('call')]));
    say(YES);
    const source = await top.create('long');
    while ((await top.status(source)) !== 'completed') await settled();
    const asked = (await top.events(source)).findLast(({ type }) => type === 'node.started')?.sequence ?? -1;
    say(NO);
    for (const pageEnds of [-1, 0, 1, 2, 3]) {
      const twin = await replay(top, source, { fromSeq: asked + pageEnds - 256 });
      while ((await top.status(twin)) === 'running') await settled();
      expect((await eventOf(top, twin, 'replay.diverged'))?.payload).toMatchObject({
        divergenceKind: 'output',
      });
      expect(await top.status(twin)).toBe('completed');
    }
    expect(top.logged).toEqual([]);
  });

  it('is the same when the disk was full as it came', async () => {
    const time = handClock();
    const { perform, letAnswer } = heldModels(({ fresh }) => fresh === true);
    const { state, wrap } = disk();
    const top = await startTestEngine({
      clock: time.clock,
      perform,
      wrap,
    });
    await top.register(ONE);
    const source = await top.create('one');
    await time.move(60_000);
    const twin = await replay(top, source);
    state.full = true;
    letAnswer();
    await settled();
    state.full = false;
    await time.move(5000);
    await expectSame(top, twin, source);
  });

  it('is asked for by the replay itself when its source waits for it still', async () => {
    const { perform } = heldModels(({ fresh }) => fresh !== true);
    const top = await startTestEngine({ perform });
    await top.register(ONE);
    const source = await top.create('one');
    expect(await top.status(source)).toBe('running');
    const twin = await replay(top, source);
    expect(await top.status(twin)).toBe('completed');
  });
});

describe('a replay that went its own way', () => {
  it('is not followed home by what its child remembered: the parent says that it differs too', async () => {
    const { top, say } = await host();
    const content = { type: 'connection', nodeId: 'call', outputKey: 'data' };
    await top.register(
      line('parent', [child('hand', 'worker'), look('look')]),
      line('worker', [call('call'), remember('note', { key: 'k' }, { inputs: { content } })]),
    );
    say(YES);
    const source = await start(top, 'parent');
    say(NO);
    const twin = await replay(top, source);
    await quiet();
    expect(await top.status(twin)).toBe('completed');
    expect((await eventOf(top, twin, 'replay.diverged'))?.payload.divergencePoint).toBe(
      'baton.memory.carried',
    );
    const entries = (await top.events(twin)).findLast(({ type }) => type === 'variable.changed');
    expect(JSON.stringify(entries?.payload)).toContain('{\\"valid\\":false}');
    expect(top.logged).toEqual([]);
  });

  it('is followed by its own replay, through its divergence and what people said after it', async () => {
    const { top, say } = await host();
    await top.register(
      line('parent', [
        remember('before', { key: 'a', content: 'x' }),
        call('call'),
        remember('behind', { key: 'b', content: 'x' }),
        gate('ask'),
        child('hand', 'worker'),
        look('look'),
      ]),
      line('worker', [look('look'), remember('note', { key: 'c', content: 'x' }), gate('ask')]),
    );
    const live = async (runId: string) => {
      await answer(top, runId, 'ask');
      await answer(top, `${runId}.1`, 'ask');
      expect(await top.status(runId)).toBe('completed');
    };
    say(YES);
    const source = await start(top, 'parent');
    await live(source);
    say(NO);
    const twin = await replay(top, source);
    await live(twin);
    expect(await top.types(twin)).toContain('replay.diverged');
    for (const { sequence } of await top.events(twin)) {
      say(NO);
      const again = await replay(top, twin, { fromSeq: sequence });
      await quiet();
      for (const its of await treeOf(top, again)) {
        const names = [again, twin, source];
        expect(await logOf(top, its, ...names)).toEqual(
          await logOf(top, twin + its.slice(again.length), ...names),
        );
      }
    }
    expect(top.logged).toEqual([]);
  });

  it('is followed by its own replay when it went on where its source was cancelled', async () => {
    const top = await startTestEngine();
    await top.register(
      line('stopped', [
        remember('before', { key: 'a', content: 'x' }),
        gate('ask'),
        remember('behind', { key: 'b', content: 'x' }),
        look('look'),
      ]),
    );
    const source = await start(top, 'stopped');
    await top.execute({ kind: 'cancel-run', caller: CALLER, runId: source });
    const twin = await replay(top, source);
    await answer(top, twin, 'ask');
    expect(await top.types(twin)).toContain('baton.memory.branched');
    expect(await top.status(twin)).toBe('completed');
    await expectSameFrom(top, twin, undefined, [source]);
  });

  const RETRY = { settings: { retry: { maxRetries: 1, backoffMs: 100 } } };
  it.each([
    ['each attempt of an effect', effect('act', RETRY), 'node.retried', 'completed'],
    [
      'each try of an effect',
      node('act', 'core.conformance.side-effect', { tries: 2 }),
      'baton.effect.retried',
      'completed',
    ],
    ['no second attempt where its source made one only', effect('act'), 'node.failed', 'failed'],
  ])('REPLAY-09 is given the outcomes of its source, at their times: %s', async (_which, act, type, ends) => {
    const time = handClock();
    const { top, say } = await host({
      clock: time.clock,
      perform: async ({ attempt, tries }) =>
        attempt === 1 && tries === 1
          ? { kind: 'failed', error: { code: 'busy', message: 'at first' } }
          : { kind: 'done', outputs: { attempt, tries } },
    });
    await top.register(line('tries', [call('call'), act]));
    const live = async (entry: MockEntry, begin: () => Promise<string>) => {
      say(entry);
      const runId = await begin();
      expect(await top.status(runId)).toBe(ends === 'failed' ? 'failed' : 'running');
      await time.move(100);
      expect(await top.status(runId)).toBe(ends);
      return runId;
    };
    const source = await live(YES, () => top.create('tries'));
    const performed = top.performed.length;
    const twin = await live(NO, () => replay(top, source));
    expect(await top.types(twin)).toEqual(expect.arrayContaining(['replay.diverged', type]));
    const told = async (runId: string) =>
      (await about(top, runId, 'act')).map(({ type, payload }) => ({ type, payload }));
    expect(await told(twin)).toEqual(await told(source));
    // The model was asked again to compare its answer; the effect was not performed.
    expect(top.performed.slice(performed).map(({ kind }) => kind)).toEqual(['model.call']);
  });

  it('MEM-17 remembers what was alive when it went its own way', async () => {
    const time = handClock();
    const { top, say } = await host({ clock: time.clock });
    const brief = remember('brief', { key: 'brief', content: 'x', ttlSeconds: 60 });
    await top.register(line('asks', [brief, call('call'), look('found')]));
    say(YES);
    const source = await start(top, 'asks');
    await time.move(3_600_000);
    say(NO);
    const twin = await replay(top, source);
    expect(await top.types(twin)).toContain('replay.diverged');
    expect(await saw(top, twin, 'found')).toEqual(['brief=x']);
  });
});

describe('a replay of calls to other providers', () => {
  const OTHER = workflow('other', [
    { ...call('call'), config: { provider: 'elsewhere', model: 'm', outputSchema: SCHEMA } },
  ]);

  async function otherHost() {
    const mock = createMockModel();
    const top = await startTestEngine({
      perform: modelCalls({ provider: () => ({ ...mock, reexecutable: false }) }),
    });
    await top.register(OTHER);
    mock.program(CALLER.tenant, 'call', [YES]);
    const source = await top.create('other');
    mock.program(CALLER.tenant, 'call', [REFUSED]);
    return { top, source };
  }

  it('READ-13 serves what was recorded, and asks nobody', async () => {
    const { top, source } = await otherHost();
    expect(await top.status(source)).toBe('completed');
    const twin = await replay(top, source);
    expect(top.performed).toHaveLength(1);
    expect(await top.types(twin)).toEqual(await top.types(source));
  });

  it('READ-13 asks them when the fork wants live models', async () => {
    const { top, source } = await otherHost();
    const twin = await replay(top, source, { models: 'live' });
    expect(top.performed).toHaveLength(2);
    expect((await eventOf(top, twin, 'run.failed'))?.payload.error.code).toBe('replay_diverged_at_refusal');
  });
});
