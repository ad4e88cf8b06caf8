import type { JsonObject, ModelRequest } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { fork, replay } from '../driver/forking.ts';
import { type Bench, CALLER, handClock, settled } from '../driver/test-engine.ts';
import { agent, agentBench, calls, invoke, payloads, register, said, tool, valid } from './bench.ts';

/** A run whose agent is judged: a tool result, a decision that is sent back, and the decision after it. */

const READ = tool('baton:read');
const CRITIC = agent({ agentId: 'local.desk.critic', persona: 'Critic', systemPrompt: 'You judge.' });
const WRITER = agent({
  toolAllowlist: ['baton:read'],
  verifier: { workflowId: CRITIC.agentId },
  toolVerifiers: { 'baton:read': { workflowId: CRITIC.agentId } },
});

/** Answers by the request alone, so that a host that starts again gets the same answers. */
function models({ messages }: ModelRequest) {
  const text = JSON.stringify(messages);
  if (text.includes('You judge.')) {
    if (text.includes('Draft.')) return valid({ verdict: 'revise', feedback: 'Too short.' });
    return valid({ verdict: 'pass' });
  }
  if (text.includes('Too short.')) return said('Better.');
  return messages.some(({ role }) => role === 'tool') ? said('Draft.') : said('', calls(READ.name));
}

const bench = (options: Parameters<typeof agentBench>[1] = {}) =>
  agentBench({ tools: [READ], models }, options);

async function judged(host: Bench): Promise<string> {
  await register(host, WRITER, CRITIC);
  return invoke(host);
}

const never = () => new Promise<never>(() => undefined);

const resultOf = async (host: Bench, runId: string) =>
  (await payloads(host, runId, 'variable.changed')).map(({ next }) => next);

const VERDICTS = ['pass', 'revise', 'pass'];

describe.each(['before', 'after'] as const)('a crash %s the call of an effect', (moment) => {
  it.each([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])(
    'repeats at most this effect, and every verdict is given once: effect %i',
    async (lost) => {
      const { host: first, perform } = await bench();
      const done: string[] = [];
      let begun = 0;
      const dying = await first.crash({
        async perform(effect, context) {
          begun += 1;
          if (begun < lost || (begun === lost && moment === 'after')) done.push(effect.key);
          return begun < lost ? perform(effect, context) : never();
        },
      });
      const runId = await judged(dying);
      expect(await dying.status(runId)).toBe('running');
      const after = await dying.crash({
        perform(effect, context) {
          done.push(effect.key);
          return perform(effect, context);
        },
      });
      await settled();
      expect(await after.status(runId)).toBe('completed');
      expect(await resultOf(after, runId)).toEqual(['Better.']);
      const verdicts = await payloads(after, runId, 'agent.verified');
      expect(verdicts.map(({ verdict }) => verdict)).toEqual(VERDICTS);
      expect(new Set(done).size).toBe(11);
      expect(done).toHaveLength(moment === 'after' ? 12 : 11);
    },
  );
});

describe('a fork of a run with critics', () => {
  it('repeats it as a replay from every event, without asking anything', async () => {
    const { host, requests, toolCalls } = await bench();
    const runId = await judged(host);
    const types = await host.types(runId);
    const asked = [requests.length, toolCalls.length];
    for (let at = 0; at < types.length; at += 1) {
      const replayed = await replay(host, runId, at);
      expect(await host.types(replayed), `from ${at}`).toEqual(types);
    }
    expect([requests.length, toolCalls.length]).toEqual(asked);
  });

  it('goes on as a branch from every event, also while a critic is at work, however much later', async () => {
    const time = handClock();
    const { host } = await bench({ clock: time.clock });
    const runId = await judged(host);
    const types = await host.types(runId);
    // A critic that had five minutes left at the cut has five minutes left in the branch.
    await time.move(10 * 60 * 1000);
    for (let at = 1; at < types.length; at += 1) {
      const branch = await fork(host, runId, { mode: 'branch', fromSeq: at });
      expect(await host.status(branch), `from ${at}`).toBe('completed');
      expect(await resultOf(host, branch), `from ${at}`).toEqual(['Better.']);
    }
  });

  it('cannot change values behind a verdict without the right to override', async () => {
    const { host } = await bench();
    const runId = await judged(host);
    const events = await host.events(runId);
    const last = events.findLast(({ type }) => type === 'agent.verified');
    const body = {
      mode: 'branch',
      fromSeq: (last?.sequence ?? 0) + 1,
      runOptionsOverlay: { configurable: { ai: { provider: 'other', model: 'big' } } },
    };
    const scopes = ['runs:create', 'runs:read'];
    const reply = await host.execute({ kind: 'fork-run', caller: CALLER, runId, scopes, body } as never);
    expect(reply).toMatchObject({ ok: false, error: { error: 'forbidden' } });
  });
});

describe('a run that is stopped while a critic is at work', () => {
  /** The model call of the critic never ends. */
  async function waiting(more: Partial<typeof WRITER> = {}, inputs: JsonObject = {}) {
    const time = handClock();
    const { host: first, perform } = await bench();
    const host = await first.crash({
      clock: time.clock,
      perform: (effect, context) =>
        effect.kind === 'model.call' && effect.runId.includes('.') ? never() : perform(effect, context),
    });
    await register(host, agent({ ...WRITER, ...more }), CRITIC);
    const runId = await invoke(host, { task: 'x' }, inputs);
    expect(await host.status(runId)).toBe('running');
    return { host, runId, time, perform };
  }

  it.each([
    ['tool result', {}],
    ['decision', { toolVerifiers: {} }],
  ] as const)(
    'cancels the critic and closes the invocation, and a replay does the same: %s',
    async (_of, more) => {
      const { host, runId } = await waiting(more);
      await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
      expect(await host.status(runId)).toBe('cancelled');
      expect(await host.status(`${runId}.1`)).toBe('cancelled');
      expect((await host.types(runId)).slice(-3)).toEqual([
        'agent.invocation.completed',
        'node.cancelled',
        'run.cancelled',
      ]);
      const replayed = await replay(host, runId);
      expect(await host.types(replayed)).not.toContain('replay.diverged');
    },
  );

  it('cancels the critic when the run is out of time', async () => {
    const { host, runId, time } = await waiting({}, { configurable: { runTimeoutMs: 1000 } });
    await time.move(1001);
    expect(await host.status(runId)).toBe('failed');
    expect(await host.status(`${runId}.1`)).toBe('cancelled');
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
  });

  it('waits while it is paused, and goes on when it is resumed', async () => {
    const { host: paused, runId, perform } = await waiting();
    await paused.execute({ kind: 'pause-run', caller: CALLER, runId, drainPolicy: 'immediate' });
    const host = await paused.crash({ perform });
    await settled();
    expect(await host.status(runId)).toBe('paused');
    await host.execute({ kind: 'resume-run', caller: CALLER, runId });
    await settled();
    expect(await host.status(runId)).toBe('completed');
    expect(await resultOf(host, runId)).toEqual(['Better.']);
  });
});

describe('the budget of a run', () => {
  it('counts what its critics use', async () => {
    const { host } = await bench();
    await register(host, WRITER, CRITIC);
    // Three calls of 14 tokens: two of the agent, and that of the critic between them.
    const runId = await invoke(host, { task: 'x' }, { configurable: { budget: { maxTokens: 42 } } });
    expect(await host.status(runId)).toBe('failed');
    expect(await payloads(host, runId, 'agent.decided')).toHaveLength(1);
    const types = [...(await host.types(runId)), ...(await host.types(`${runId}.2`))];
    expect(types).toContain('budget.exhausted');
  });

  it('counts what a critic used that was cancelled', async () => {
    const { host: first, perform } = await agentBench({
      tools: [READ],
      models: ({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? said('Draft.') : said('', calls(READ.name)),
    });
    let asked = 0;
    const host = await first.crash({
      perform(effect, context) {
        if (effect.kind === 'model.call' && effect.runId.includes('.')) asked += 1;
        return asked === 2 ? never() : perform(effect, context);
      },
    });
    await register(host, WRITER, agent({ ...CRITIC, toolAllowlist: ['baton:read'] }));
    const runId = await invoke(host);
    await host.execute({ kind: 'cancel-run', caller: CALLER, runId });
    expect(await payloads(host, runId, 'baton.usage.carried')).toMatchObject([
      { childRunId: `${runId}.1`, inputTokens: 10, toolCalls: 1 },
    ]);
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).not.toContain('replay.diverged');
  });
});
