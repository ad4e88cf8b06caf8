import { toolCalls as performTools } from '@baton/agents';
import type { Effect, EffectContext, EffectOutcome } from '@baton/engine';
import type { JsonObject } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { answer, fork } from '../driver/forking.ts';
import { CALLER, handClock, settled } from '../driver/test-engine.ts';
import { agent, agentBench, calls, invoke, payloads, register, said, tool } from './bench.ts';

/** A run with three model calls and two tools, which the host does not survive at one point or another. */

const READ = tool('baton:read');
const SEND = tool('http:send', { repeatable: 'no', transport: 'http' });
const AGENT = agent({ toolAllowlist: ['baton:read', 'http:send'] });
const ANSWERS = [said('', calls(READ.name)), said('', calls(SEND.name)), said('Done.')];

/** The world outside, which outlives every host. It counts what is done to it. */
function world() {
  const done: string[] = [];
  const answered = new Map<string, number>();
  const tools = performTools(
    {
      async call({ id, key }) {
        done.push(`${id} ${key}`);
        return { status: 'ok', output: 'fine' };
      },
    },
    () => 0,
  );
  const perform = async (
    effect: Effect,
    context: EffectContext,
    inner: (e: Effect) => Promise<EffectOutcome>,
  ) => {
    if (effect.kind === 'tool.call') return tools(effect, context);
    if (effect.kind !== 'model.call') return inner(effect);
    done.push(`model ${effect.key}`);
    if (!answered.has(effect.key)) answered.set(effect.key, answered.size);
    return { kind: 'done', outputs: ANSWERS[answered.get(effect.key) ?? 0] as never } satisfies EffectOutcome;
  };
  return { done, perform };
}

const never = () => new Promise<never>(() => undefined);

describe.each(['before', 'after'] as const)('a crash %s the call of an effect', (moment) => {
  it.each([1, 2, 3, 4, 5, 6])(
    'repeats at most this effect, and the run ends the same: effect %i',
    async (lost) => {
      const { host: first, perform: inner } = await agentBench({ tools: [READ, SEND], models: ANSWERS });
      const outside = world();
      let begun = 0;
      const dying = await first.crash({
        async perform(effect, context) {
          begun += 1;
          if (begun < lost) return outside.perform(effect, context, (e) => inner(e, context));
          if (begun === lost && moment === 'after') {
            void outside.perform(effect, context, (e) => inner(e, context));
          }
          return never();
        },
      });
      await register(dying, AGENT);
      const runId = await invoke(dying);
      const before = [...outside.done];
      const after = await dying.crash({
        perform: (effect, context) => outside.perform(effect, context, (e) => inner(e, context)),
      });
      await settled();
      if ((await after.status(runId)) === 'waiting-approval') {
        // Only the call of the tool that may not be repeated asks a person.
        expect(lost).toBe(5);
        expect(outside.done).toEqual(before);
        const value: JsonObject =
          moment === 'after' ? { action: 'edit-accept', editedArtifactData: 'fine' } : { action: 'accept' };
        await answer(after, runId, 'agent', value);
        await settled();
      }
      expect(await after.status(runId)).toBe('completed');
      expect(await payloads(after, runId, 'variable.changed')).toMatchObject([
        { name: 'result', next: 'Done.' },
      ]);
      const times = new Map<string, number>();
      for (const one of outside.done) times.set(one, (times.get(one) ?? 0) + 1);
      const repeated = [...times.values()].filter((count) => count > 1);
      // The effect that was under way is the only one that may be done twice, and never the tool that may not.
      expect(repeated.length).toBeLessThanOrEqual(moment === 'after' && lost !== 5 ? 1 : 0);
      expect(outside.done.filter((one) => one.startsWith('http:send'))).toHaveLength(1);
      expect(times.size).toBe(5);
    },
  );
});

describe('a fork of a run with live agents', () => {
  it('calls nothing as a replay, and as a branch with another model only what comes after', async () => {
    const { host, requests, toolCalls } = await agentBench({
      tools: [READ, SEND],
      models: [...ANSWERS, said('By the other model.')],
    });
    await register(host, AGENT);
    const runId = await invoke(host);
    expect([requests.length, toolCalls.length]).toEqual([3, 2]);
    await fork(host, runId, { mode: 'replay', fromSeq: 0 });
    expect([requests.length, toolCalls.length]).toEqual([3, 2]);
    const events = await host.events(runId);
    const steps = events.filter(({ type }) => type === 'baton.effect.intended');
    const secondTool = steps.at(-2)?.sequence ?? 0;
    const branch = await fork(host, runId, {
      mode: 'branch',
      fromSeq: secondTool + 1,
      runOptionsOverlay: { configurable: { ai: { provider: 'other', model: 'big' } } },
    });
    expect([requests.length, toolCalls.length]).toEqual([4, 3]);
    expect(requests[3]).toEqual({ ...requests[2], provider: 'other', model: 'big' });
    expect(await payloads(host, branch, 'variable.changed')).toMatchObject([{ next: 'By the other model.' }]);
  });
});

describe('a try of a model call that failed', () => {
  it('is told with its tokens, and counts for the run', async () => {
    const spent = { usage: { inputTokens: 7, outputTokens: 1 }, costUsd: 0.25 };
    const error = { code: 'provider_error', message: 'It was cut off.' };
    const { host } = await agentBench({
      models: [{ kind: 'failed', error, retryable: false, spent } satisfies EffectOutcome],
    });
    await register(host, AGENT);
    const runId = await invoke(host);
    expect(await payloads(host, runId, 'provider.usage')).toMatchObject([
      { inputTokens: 7, outputTokens: 1, costEstimateUsd: 0.25 },
    ]);
    const types = (await host.types(runId)).slice(-5);
    expect(types).toEqual([
      'baton.effect.settled',
      'provider.usage',
      'agent.invocation.completed',
      'node.failed',
      'run.failed',
    ]);
    const replayed = await fork(host, runId, { mode: 'replay', fromSeq: 0 });
    expect((await host.types(replayed)).slice(-5)).toEqual(types);
  });
});

describe('a run that is stopped while its agent works', () => {
  it.each([
    ['cancelled', {}, 'cancelled'],
    ['out of time', { configurable: { runTimeoutMs: 1000 } }, 'failed'],
  ] as const)(
    'closes the invocation when it is %s, and a replay does the same',
    async (how, more, status) => {
      const time = handClock();
      const { host } = await agentBench(
        { tools: [READ], models: [said('', calls(READ.name))], call: never },
        { clock: time.clock },
      );
      await register(host, AGENT);
      const runId = await invoke(host, { task: 'x' }, more as unknown as JsonObject);
      if (how === 'cancelled') await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
      else await time.move(1001);
      expect(await host.status(runId)).toBe(status);
      expect((await host.types(runId)).slice(-3)).toEqual([
        'agent.invocation.completed',
        'node.cancelled',
        `run.${status}`,
      ]);
      const replayed = await fork(host, runId, { mode: 'replay', fromSeq: 0 });
      expect(await host.types(replayed)).not.toContain('replay.diverged');
    },
  );
});
