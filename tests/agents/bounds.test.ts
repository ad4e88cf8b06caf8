import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { start } from '../driver/forking.ts';
import { handClock, settled } from '../driver/test-engine.ts';
import {
  AGENT_ID,
  agent,
  agentBench,
  calls,
  invalid,
  invoke,
  payloads,
  register,
  said,
  tool,
  valid,
} from './bench.ts';

/** Agents that would repeat something, or go on, without end. */

describe('a node with retries whose agent called a tool', () => {
  const returnSchema = { type: 'object', required: ['text'] };
  const unfit = invalid('text is missing');
  const retry = { maxRetries: 2, backoffMs: 10 };

  it.each([
    ['may not be repeated', 'no', 1],
    ['is not known to be repeatable', 'unknown', 1],
    ['may be repeated', 'yes', 3],
  ] as const)('that %s is tried as often as it may', async (_, repeatable, times) => {
    const time = handClock();
    const pay = tool('http:pay', { repeatable, transport: 'http' });
    const payer = agent({ toolAllowlist: [pay.id], returnSchema, attempts: 1 });
    const attempt = [said('', calls(pay.name)), said('Paid.'), unfit];
    const { host, toolCalls } = await agentBench(
      { agents: [payer], tools: [pay], models: [...attempt, ...attempt, ...attempt] },
      { clock: time.clock },
    );
    await register(host, payer);
    const inputs = { task: { type: 'static', value: 'Pay.' } };
    const paying = node(
      'pay',
      'core.agent',
      {},
      { agent: { agentId: AGENT_ID }, inputs, settings: { retry } },
    );
    await host.register(workflow('desk', [paying]));
    const runId = await start(host, 'desk');
    for (let n = 0; n < 3; n += 1) {
      await time.move(1000);
      await settled();
    }
    expect(await host.status(runId)).toBe('failed');
    expect(toolCalls).toHaveLength(times);
    expect(await payloads(host, runId, 'node.retried')).toHaveLength(times - 1);
  });
});

describe('a confidence that cannot be compared with the threshold of the agent', () => {
  it.each<[Json]>([[-1], [5], ['high'], ['0.1'], [null]])('%j is not accepted', async (confidence) => {
    const unsure = agent({ confidence: { defaultThreshold: 0.7 }, returnSchema: { type: 'object' } });
    const models = [valid({ text: 'x', confidence }), valid({ text: 'x', confidence: 0.9 })];
    const { host, requests } = await agentBench({ models });
    await register(host, unsure);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('confidence must be a number from 0 to 1');
    expect(await payloads(host, runId, 'agent.decided')).toMatchObject([{ confidence: 0.9 }]);
  });

  it('is data of an agent without a threshold', async () => {
    const { host, requests } = await agentBench({ models: [valid({ confidence: 'high' })] });
    await register(host, agent({ returnSchema: { type: 'object' } }));
    expect(await host.status(await invoke(host))).toBe('completed');
    expect(requests).toHaveLength(1);
  });
});

describe('a run with a supervisor that thinks', () => {
  const LEAD = agent({ agentId: 'local.desk.lead' });
  const team = workflow(
    'team',
    [
      node(
        'lead',
        'core.orchestrator.supervisor',
        { workers: [{ id: 'nothing' }] },
        { agent: { agentId: LEAD.agentId } },
      ),
      node('hand', 'core.dispatch'),
    ],
    { edges: [edge('lead', 'hand'), edge('hand', 'lead')] },
  );

  it.each([
    ['takes 100 turns at most', {}, 100],
    ['takes as many turns as its caller allows', { configurable: { maxLoopIterations: 5000 } }, 5000],
  ])('%s', async (_, more, turns) => {
    const stop = valid({ kind: 'terminate', reason: 'Done.', confidence: 0.9 });
    const { host } = await agentBench({ agents: [LEAD], models: [stop] });
    await register(host, LEAD);
    await host.register(workflow('nothing', [node('n', 'core.noop')]), team);
    const runId = await start(host, 'team', more);
    expect(await payloads(host, runId, 'run.started')).toMatchObject([{ limits: { loopIterations: turns } }]);
  });

  it('ends when its model repeats the same decision for ever', async () => {
    const again = valid({ kind: 'next-worker', nextWorkerIds: ['nothing'], confidence: 0.9 });
    const { host, requests } = await agentBench({ agents: [LEAD], models: Array(200).fill(again) });
    await register(host, LEAD);
    await host.register(workflow('nothing', [node('n', 'core.noop')]), team);
    const runId = await start(host, 'team', { configurable: { maxLoopIterations: 3 } });
    await settled();
    expect(await host.status(runId)).toBe('failed');
    expect(requests).toHaveLength(3);
    expect(await payloads(host, runId, 'cap.breached')).toMatchObject([{ kind: 'loop-iterations' }]);
  });
});

describe('a critic without a verdict', () => {
  it('is named with the reason, and nothing says that it turned the result down', async () => {
    const judged = agent({ verifier: { workflowId: 'nobody' } });
    const { host } = await agentBench({ models: [said('Done.')] });
    await register(host, judged);
    const runId = await invoke(host);
    const [failed] = await payloads(host, runId, 'run.failed');
    expect(failed?.error).toMatchObject({ code: 'verdict_failed' });
    expect(failed?.error.message).toContain('The critic "nobody"');
    expect(failed?.error.message).toContain('it could not be started');
  });
});
