import { modelCalls } from '@baton/agents';
import { StorageFullError } from '@baton/engine';
import type { EventOf, RunEvent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { edge, look, node, remember, workflow } from '../../packages/engine/src/testkit/workflows.ts';
import { createMockProvider, type MockEntry } from '../../packages/server/src/models/mock.ts';
import { verifies } from '../verifies.ts';
import { answer, child, expectSameFrom, gate, line, logOf, quiet, start, treeOf } from './forking.ts';
import { type Bench, CALLER, handClock, settled, startTestEngine } from './test-engine.ts';

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

async function host() {
  const mock = createMockProvider();
  const top = await startTestEngine({ perform: modelCalls({ provider: () => mock }) });
  const say = (...entries: readonly MockEntry[]) => mock.program(CALLER.tenant, 'call', entries);
  return { top, say, mock };
}

async function replay(top: Bench, runId: string, body: Record<string, unknown> = {}): Promise<string> {
  const reply = await top.execute({
    kind: 'fork-run',
    caller: CALLER,
    runId,
    body: { mode: 'replay', ...body } as never,
  });
  if (!reply.ok || reply.value.kind !== 'fork') throw new Error(JSON.stringify(reply));
  await settled();
  return reply.value.runId;
}

const eventOf = async <T extends RunEvent['type']>(top: Bench, runId: string, type: T) =>
  (await top.events(runId)).find((event): event is EventOf<T> => event.type === type);

describe('a replay that asks a model again', () => {
  it('is its source once more when the answer is the same', async () => {
    verifies('REPLAY-08');
    const { top, say } = await host();
    await top.register(ONE);
    say(YES);
    const source = await top.create('one');
    const fork = await replay(top, source);
    expect(top.performed).toHaveLength(2);
    expect(JSON.stringify(await top.events(fork)).replaceAll(fork, source)).toBe(
      JSON.stringify(await top.events(source)),
    );
  });

  it('asks in the pause in which its source had the answer', async () => {
    const mock = createMockProvider();
    const ask = modelCalls({ provider: () => mock });
    let isPaused = (): void => undefined;
    const paused = new Promise<void>((resolve) => {
      isPaused = resolve;
    });
    const top = await startTestEngine({
      perform: async (effect, context) => {
        await paused;
        return ask(effect, context);
      },
    });
    await top.register(ONE);
    mock.program(CALLER.tenant, 'call', [YES]);
    const source = await top.create('one');
    const command = { caller: CALLER, runId: source, drainPolicy: 'immediate' } as const;
    await top.execute({ kind: 'pause-run', ...command });
    isPaused();
    await settled();
    await top.execute({ kind: 'resume-run', ...command });
    const fork = await replay(top, source);
    expect(await top.types(source)).toEqual(expect.arrayContaining(['run.paused', 'run.completed']));
    expect(await logOf(top, fork, fork, source)).toEqual(await logOf(top, source, fork, source));
    expect(top.performed).toHaveLength(2);
  });

  it.each([
    ['refuses where the source had an answer', YES, REFUSED, 'valid', 'refusal'],
    ['answers where the source was refused', REFUSED, YES, 'refusal', 'valid'],
  ] as const)(
    'fails when the model %s',
    async (_name, before, after, originalEnvelopeKind, replayEnvelopeKind) => {
      verifies('REPLAY-04', 'REPLAY-05', 'REPLAY-06', 'READ-13');
      const { top, say } = await host();
      await top.register(ONE);
      say(before);
      const source = await top.create('one');
      say(after);
      const fork = await replay(top, source);
      expect(await top.status(fork)).toBe('failed');
      expect((await eventOf(top, fork, 'replay.divergedAtRefusal'))?.payload).toEqual({
        sourceRunId: source,
        atSequence: 3,
        originalEventId: `${source}:3`,
        nodeId: 'call',
        originalEnvelopeKind,
        replayEnvelopeKind,
      });
      expect((await eventOf(top, fork, 'run.failed'))?.payload.error.code).toBe('replay_diverged_at_refusal');
      // Neither outcome was put in the place of the other.
      expect(await top.types(fork)).not.toContain('node.completed');
      expect(await top.types(fork)).not.toContain('envelope.refusal');
    },
  );

  it('says so when the answer is another one, and goes on with it', async () => {
    const { top, say } = await host();
    await top.register(
      workflow('two', [call('call'), node('end', 'core.noop')], { edges: [edge('call', 'end')] }),
    );
    say(YES);
    const source = await top.create('two');
    say(NO);
    const fork = await replay(top, source);
    expect(await top.status(fork)).toBe('completed');
    const diverged = await eventOf(top, fork, 'replay.diverged');
    expect(diverged?.payload).toMatchObject({ sourceRunId: source, divergenceKind: 'output' });
    const completed = (await top.events(fork)).find((event) => event.type === 'node.completed');
    expect(completed?.payload).toMatchObject({ outputs: { data: { valid: false } } });
    expect(completed?.sequence).toBeGreaterThan(diverged?.sequence ?? Number.POSITIVE_INFINITY);
  });

  it('compares later calls too, once it goes its own way', async () => {
    const { top, mock } = await host();
    const nodes = [call('first'), call('call')];
    await top.register(workflow('both', nodes, { edges: [edge('first', 'call')] }));
    mock.program(CALLER.tenant, 'first', [YES]);
    mock.program(CALLER.tenant, 'call', [YES]);
    const source = await top.create('both');
    mock.program(CALLER.tenant, 'first', [NO]);
    mock.program(CALLER.tenant, 'call', [REFUSED]);
    const fork = await replay(top, source);
    expect(await top.types(fork)).toContain('replay.diverged');
    expect((await eventOf(top, fork, 'replay.divergedAtRefusal'))?.payload).toMatchObject({ nodeId: 'call' });
    expect(await top.status(fork)).toBe('failed');
  });

  it('asks again after a crash, and comes to the same', async () => {
    const mock = createMockProvider();
    const perform = modelCalls({ provider: () => mock });
    const never = () => new Promise<never>(() => undefined);
    const first = await startTestEngine({ perform });
    await first.register(ONE);
    mock.program(CALLER.tenant, 'call', [YES]);
    const source = await first.create('one');
    const second = await first.crash({ perform: never });
    const fork = await replay(second, source);
    expect(await second.status(fork)).toBe('running');
    const third = await second.crash({ perform });
    expect(await third.status(fork)).toBe('completed');
    expect(await third.types(fork)).toEqual(await third.types(source));
  });
});

describe('an answer that a replay waits for', () => {
  it('is compared wherever a page of the source ends', async () => {
    const { top, say } = await host();
    const nodes = [...Array.from({ length: 130 }, (_, at) => node(`step${at}`, 'core.noop')), call('call')];
    const edges = nodes.slice(1).map((next, at) => edge(String(nodes[at]?.id), String(next.id)));
    await top.register(workflow('long', nodes, { edges }));
    say(YES);
    const source = await top.create('long');
    while ((await top.status(source)) !== 'completed') await settled();
    const asked = (await top.events(source)).findLast(({ type }) => type === 'node.started')?.sequence ?? -1;
    say(NO);
    for (const pageEnds of [-1, 0, 1, 2, 3]) {
      const fork = await replay(top, source, { fromSeq: asked + pageEnds - 256 });
      while ((await top.status(fork)) === 'running') await settled();
      expect((await eventOf(top, fork, 'replay.diverged'))?.payload).toMatchObject({
        divergenceKind: 'output',
      });
      expect(await top.status(fork)).toBe('completed');
    }
    expect(top.logged).toEqual([]);
  });

  it('is the same when the disk was full as it came', async () => {
    const mock = createMockProvider();
    const time = handClock();
    const perform = modelCalls({ provider: () => mock });
    const held: (() => void)[] = [];
    const disk = { full: false };
    const top = await startTestEngine({
      clock: time.clock,
      perform: async (effect, context) => {
        if (effect.fresh) await new Promise<void>((resolve) => held.push(resolve));
        return perform(effect, context);
      },
      wrap: (store) => ({
        ...store,
        commit: (slices) => (disk.full ? Promise.reject(new StorageFullError()) : store.commit(slices)),
      }),
    });
    await top.register(ONE);
    mock.program(CALLER.tenant, 'call', [YES]);
    const source = await top.create('one');
    await time.move(60_000);
    const fork = await replay(top, source);
    disk.full = true;
    for (const comeBack of held) comeBack();
    await settled();
    disk.full = false;
    await time.move(5000);
    expect(JSON.stringify(await top.events(fork)).replaceAll(fork, source)).toBe(
      JSON.stringify(await top.events(source)),
    );
  });

  it('is asked for by the replay itself when its source waits for it still', async () => {
    const mock = createMockProvider();
    const perform = modelCalls({ provider: () => mock });
    const top = await startTestEngine({
      perform: async (effect, context) =>
        effect.fresh ? perform(effect, context) : new Promise(() => undefined),
    });
    await top.register(ONE);
    mock.program(CALLER.tenant, 'call', [YES]);
    const source = await top.create('one');
    expect(await top.status(source)).toBe('running');
    const fork = await replay(top, source);
    expect(await top.status(fork)).toBe('completed');
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
    const fork = await replay(top, source);
    await quiet();
    expect(await top.status(fork)).toBe('completed');
    expect((await eventOf(top, fork, 'replay.diverged'))?.payload.divergencePoint).toBe(
      'baton.memory.carried',
    );
    const entries = (await top.events(fork)).findLast(({ type }) => type === 'variable.changed');
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
    const fork = await replay(top, source);
    await live(fork);
    expect(await top.types(fork)).toContain('replay.diverged');
    for (const { sequence } of await top.events(fork)) {
      say(NO);
      const again = await replay(top, fork, { fromSeq: sequence });
      await quiet();
      for (const twin of await treeOf(top, again)) {
        const names = [again, fork, source];
        expect(await logOf(top, twin, ...names)).toEqual(
          await logOf(top, fork + twin.slice(again.length), ...names),
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
    const fork = await replay(top, source);
    await answer(top, fork, 'ask');
    expect(await top.types(fork)).toContain('baton.memory.branched');
    expect(await top.status(fork)).toBe('completed');
    await expectSameFrom(top, fork, undefined, [source]);
  });
});

describe('a replay of calls to other providers', () => {
  const OTHER = workflow('other', [
    { ...call('call'), config: { provider: 'elsewhere', model: 'm', outputSchema: SCHEMA } },
  ]);

  async function otherHost() {
    const mock = createMockProvider();
    const top = await startTestEngine({
      perform: modelCalls({ provider: () => ({ ...mock, reexecutable: false }) }),
    });
    await top.register(OTHER);
    mock.program(CALLER.tenant, 'call', [YES]);
    const source = await top.create('other');
    mock.program(CALLER.tenant, 'call', [REFUSED]);
    return { top, source };
  }

  it('serves what was recorded, and asks nobody', async () => {
    verifies('READ-13');
    const { top, source } = await otherHost();
    expect(await top.status(source)).toBe('completed');
    const fork = await replay(top, source);
    expect(top.performed).toHaveLength(1);
    expect(await top.types(fork)).toEqual(await top.types(source));
  });

  it('asks them when the fork wants live models', async () => {
    verifies('READ-13');
    const { top, source } = await otherHost();
    const fork = await replay(top, source, { models: 'live' });
    expect(top.performed).toHaveLength(2);
    expect((await eventOf(top, fork, 'run.failed'))?.payload.error.code).toBe('replay_diverged_at_refusal');
  });
});
