import type { EffectOutcome } from '@baton/engine';
import type { Agent } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { quiet, start } from '../driver/forking.ts';
import { type Bench, CALLER, handClock, settled } from '../driver/test-engine.ts';
import {
  agent,
  agentBench,
  agentTypes,
  calls,
  invoke,
  payloads,
  refused,
  register,
  said,
  tool,
} from './bench.ts';

/** Both events of an invocation are in the log, in each way in which an invocation can end. */

const AGENT = agent();
const SEARCH = tool('baton:search');
const BRACKETS = ['agent.invocation.started', 'agent.invocation.completed'];

/** A workflow with one agent at a node of its own. */
const asking = (settings: object = {}, { agentId }: Agent = AGENT) =>
  workflow('asking', [
    node('ask', 'core.agent', {}, {
      agent: { agentId },
      inputs: { task: { type: 'static', value: 'Write.' } },
      settings,
    } as never),
  ]);

const never = () => new Promise<never>(() => undefined);

/** The agent's events that open and close invocations, in order, with their ids. */
async function brackets(host: Bench, runId: string) {
  const events = (await host.events(runId)).filter(({ type }) => BRACKETS.includes(type));
  return events.map(({ type, payload }) => [type, (payload as { invocationId: string }).invocationId]);
}

describe('an invocation that does not come to its result', () => {
  it('LIVE-21 READ-23 is closed as failed when its run is cancelled during a model call', async () => {
    const { host } = await agentBench({ models: [] }, {});
    const waiting = await host.crash({
      perform: async (effect): Promise<EffectOutcome> =>
        effect.kind === 'model.call'
          ? never()
          : { kind: 'done', outputs: { provider: 'scripted', model: 'script', tools: [] } },
    });
    await register(waiting, AGENT);
    const runId = await invoke(waiting);
    await waiting.execute({ kind: 'cancel-run', caller: CALLER, runId });
    await settled();
    expect(await agentTypes(waiting, runId)).toEqual([
      'agent.invocation.started',
      'agent.promptResolved',
      'agent.invocation.completed',
    ]);
    expect(await payloads(waiting, runId, 'agent.invocation.completed')).toMatchObject([
      { outcome: 'failed' },
    ]);
  });

  it('LIVE-23 is closed in each attempt that exceeds its time, under an id of its own', async () => {
    const hand = handClock();
    const { perform } = await agentBench({ agents: [AGENT], tools: [SEARCH], models: [] });
    const { host } = await agentBench(
      { models: [] },
      {
        clock: hand.clock,
        perform: (effect, context) => (effect.kind === 'model.call' ? never() : perform(effect, context)),
      },
    );
    await register(host, AGENT);
    await host.register(asking({ timeoutMs: 1000, retry: { maxRetries: 1, backoffMs: 10 } }));
    const runId = await start(host, 'asking');
    for (const ms of [1000, 10, 1000]) await hand.move(ms);
    expect(await host.status(runId)).toBe('failed');
    const first = `${runId}:ask:1:1`;
    const second = `${runId}:ask:1:2`;
    expect(await brackets(host, runId)).toEqual([
      [BRACKETS[0], first],
      [BRACKETS[1], first],
      [BRACKETS[0], second],
      [BRACKETS[1], second],
    ]);
  });

  it.each<[string, EffectOutcome]>([
    ['fails', { kind: 'failed', error: { code: 'provider_error', message: 'Away.' }, retryable: false }],
    ['names a problem', { kind: 'done', outputs: { problem: { code: 'agent_not_found', message: 'No.' } } }],
    [
      'names a problem beside a model',
      {
        kind: 'done',
        outputs: { provider: 'p', model: 'm', problem: { code: 'agent_not_found', message: 'No.' } },
      },
    ],
    [
      'is not readable',
      { kind: 'done', outputs: { provider: 'p', model: 'm', tools: [{ id: 'baton:search' }] } },
    ],
  ])('has both its events and asks no model when its preparation %s', async (_, prepared) => {
    const asked: string[] = [];
    const { host } = await agentBench(
      { models: [] },
      {
        perform: async ({ kind }) => {
          asked.push(kind);
          return prepared;
        },
      },
    );
    await register(host, AGENT);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('failed');
    expect(asked).toEqual(['agent.prepare']);
    expect(await agentTypes(host, runId)).toEqual(BRACKETS);
  });

  it('LIVE-32 is not tried again when the model refuses, although its node may be retried', async () => {
    const { host, requests } = await agentBench({ agents: [AGENT], models: [refused, said('Well then.')] });
    await register(host, AGENT);
    await host.register(asking({ retry: { maxRetries: 3, backoffMs: 0 } }));
    const runId = await start(host, 'asking');
    await quiet();
    expect(await host.status(runId)).toBe('failed');
    expect(requests).toHaveLength(1);
  });
});

describe('the rounds of an agent', () => {
  const eager = agent({ toolAllowlist: ['baton:*'], maxToolRounds: 2, attempts: 3 });

  it('READ-33 are bounded also when the model calls tools that it is not offered', async () => {
    const { host, requests, toolCalls } = await agentBench({
      tools: [SEARCH],
      models: (_, at) => said('', calls(SEARCH.name, { at })),
    });
    await register(host, eager);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('failed');
    expect(requests.map(({ tools }) => tools?.length ?? 0)).toEqual([1, 1, 0, 0, 0]);
    expect(toolCalls).toHaveLength(2);
    expect(await payloads(host, runId, 'agent.toolCalled')).toHaveLength(2);
    expect((await agentTypes(host, runId)).at(-1)).toBe('agent.invocation.completed');
    expect(await agentTypes(host, runId)).not.toContain('agent.decided');
  });

  it('leave a conversation with a result for each call when the model then answers', async () => {
    const { host, requests } = await agentBench({
      tools: [SEARCH],
      models: (_, at) => (at < 3 ? said('', calls(SEARCH.name, { at })) : said('Done.')),
    });
    await register(host, eager);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    const roles = requests.at(-1)?.messages.map(({ role }) => role);
    expect(roles?.slice(0, 8)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
  });

  it('end when the model gives its result in another form again and again', async () => {
    const { host, requests } = await agentBench({ models: () => said('In my own words.') });
    await register(host, agent({ returnSchema: { type: 'object' }, attempts: 2 }));
    const runId = await invoke(host);
    expect(requests).toHaveLength(2);
    expect(await payloads(host, runId, 'run.failed')).toMatchObject([
      { error: { code: 'handoff_return_schema_violation' } },
    ]);
  });

  it('make at most 32 calls for one answer', async () => {
    const many = Array.from({ length: 40 }, (_, at) => calls(SEARCH.name, { at }, `c${at}`));
    const { host, requests, toolCalls } = await agentBench({
      tools: [SEARCH],
      models: [said('', ...many), said('Done.')],
    });
    await register(host, eager);
    await invoke(host);
    await quiet();
    expect(toolCalls).toHaveLength(32);
    expect(requests[1]?.messages.at(-1)?.content).toHaveLength(40);
  });
});
