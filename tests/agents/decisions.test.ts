import type { ModelOutcome } from '@baton/engine/ports';
import type { Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { start } from '../driver/forking.ts';
import { CALLER, settled } from '../driver/test-engine.ts';
import { verifies } from '../verifies.ts';
import { agent, agentBench, invoke, payloads, register, said, valid } from './bench.ts';

/** The form of what supervisors and critics decide, and the form of what a person decides in their place. */

const LEAD = agent({ agentId: 'local.desk.lead' });
const WORKER = agent({ agentId: 'local.desk.worker', returnSchema: { type: 'object' } });
const CRITIC = agent({ agentId: 'local.desk.critic' });

const team = workflow(
  'team',
  [
    node(
      'lead',
      'core.orchestrator.supervisor',
      { workers: [{ id: WORKER.agentId }] },
      { agent: { agentId: LEAD.agentId } },
    ),
    node(
      'hand',
      'core.dispatch',
      { outputMapping: { report: 'text' } },
      { settings: { verifier: { workflowId: CRITIC.agentId } } },
    ),
  ],
  { edges: [edge('lead', 'hand'), edge('hand', 'lead')], variables: [{ name: 'report', type: 'string' }] },
);

const GO = valid({ kind: 'next-worker', nextWorkerIds: [WORKER.agentId], confidence: 0.9 });
const STOP = valid({ kind: 'terminate', reason: 'Done.', confidence: 0.9 });

describe('a live supervisor', () => {
  it.each<[string, Json]>([
    ['a kind that is none', { kind: 'dance' }],
    ['no workers for the next step', { kind: 'next-worker' }],
    ['a confidence above 1', { kind: 'terminate', reason: 'x', confidence: 2 }],
    ['text', 'terminate'],
    ['a worker that does not exist', { kind: 'next-worker', nextWorkerIds: ['nobody'] }],
  ])('is asked again when it decides %s, and nothing is decided in its place', async (_, decision) => {
    const { host, requests } = await agentBench({ agents: [LEAD], models: [valid(decision), STOP] });
    await register(host, LEAD, WORKER, CRITIC);
    await host.register(team);
    const runId = await start(host, 'team');
    expect(await host.status(runId)).toBe('completed');
    expect(requests).toHaveLength(2);
    const [retried] = await payloads(host, runId, 'envelope.retry.attempted');
    expect(requests[1]?.messages).toEqual([
      ...(requests[0]?.messages ?? []),
      { role: 'user', content: expect.stringContaining(`not accepted: ${retried?.previousError}.`) },
    ]);
    expect(await payloads(host, runId, 'agent.decided')).toHaveLength(1);
    expect(await payloads(host, runId, 'runOrchestrator.decided')).toHaveLength(1);
  });
});

describe('the budget of a team', () => {
  const models = [GO, valid({ text: 'A report.' }), valid({ verdict: 'pass', confidence: 0.9 }), STOP];

  // Each answer uses 14 tokens, so 42 are used before the last turn of the supervisor.
  it.each([
    [42, 'failed'],
    [43, 'completed'],
  ])('counts what ended workers and critics used, once: %i tokens', async (maxTokens, status) => {
    const { host } = await agentBench({ agents: [LEAD], models });
    await register(host, LEAD, WORKER, CRITIC);
    await host.register(team);
    const runId = await start(host, 'team', { configurable: { budget: { maxTokens } } });
    expect(await host.status(runId)).toBe(status);
  });
});

describe('a live critic that is not sure', () => {
  it('leaves the verdict to a person, and the verdict of the person has the form of a verdict', async () => {
    verifies('LIVE-18');
    const { host } = await agentBench({
      agents: [LEAD],
      models: [GO, valid({ text: 'A report.' }), valid({ verdict: 'pass', confidence: 0.1 }), STOP],
    });
    await register(host, LEAD, WORKER, CRITIC);
    await host.register(team);
    const runId = await start(host, 'team');
    const criticRun = `${runId}.2`;
    expect(await host.status(criticRun)).toBe('waiting-approval');
    const edit = (verdict: string) =>
      host.execute({
        kind: 'resolve-interrupt',
        caller: CALLER,
        runId: criticRun,
        target: { nodeId: 'agent' },
        resumeValue: { action: 'edit-accept', editedArtifactData: { verdict } },
        viaToken: false,
        scopes: [],
      });
    expect(await edit('perhaps')).toMatchObject({ ok: false, error: { error: 'validation_error' } });
    expect(await host.status(criticRun)).toBe('waiting-approval');
    expect(await edit('fail')).toMatchObject({ ok: true });
    await settled();
    expect(await payloads(host, runId, 'agent.verified')).toMatchObject([{ verdict: 'fail' }]);
  });
});

describe('the beginning of an invocation', () => {
  it('LIVE-24 tells for the agents of a team that a workflow started them', async () => {
    const { host } = await agentBench({
      agents: [LEAD],
      models: [GO, valid({ text: 'A report.' }), valid({ verdict: 'pass', confidence: 0.9 }), STOP],
    });
    await register(host, LEAD, WORKER, CRITIC);
    await host.register(team);
    const runId = await start(host, 'team');
    const all = await Promise.all(
      [runId, `${runId}.1`, `${runId}.2`].map((id) => payloads(host, id, 'agent.invocation.started')),
    );
    expect(all.flat().map(({ source }) => source)).toEqual(Array(4).fill('workflow-node'));
  });

  it('asks for the version of the agent that was the newest when the run began', async () => {
    const { host } = await agentBench({ agents: [LEAD], models: [STOP] });
    await register(host, LEAD, WORKER, CRITIC);
    await host.register(team);
    const runId = await start(host, 'team');
    const [intended] = await payloads(host, runId, 'baton.effect.intended');
    const [first] = await host.events(runId);
    const asOf = Date.parse(first?.timestamp ?? '');
    expect(intended?.effect).toMatchObject({ kind: 'agent.prepare', request: { asOf } });
  });
});

describe('an answer that was cut off', () => {
  it('is asked for again with more room', async () => {
    const cut: ModelOutcome = {
      result: { kind: 'truncated', stopReason: 'max_tokens' } as ModelOutcome['result'],
      usage: { inputTokens: 1, outputTokens: 1 },
    };
    const { host, requests } = await agentBench({ models: [cut, said('Done.')] });
    await register(host, agent({ maxOutputTokens: 100 }));
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([100, 200]);
  });
});
