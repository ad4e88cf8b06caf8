import type { JsonObject } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { answer, replay, start } from '../driver/forking.ts';
import { settled } from '../driver/test-engine.ts';
import {
  agent,
  agentBench,
  agentTypes,
  calls,
  invoke,
  payloads,
  register,
  said,
  tool,
  valid,
} from './bench.ts';

/** Agents that work together: supervisors, workers, critics, handoffs, and what they remember. */

const LEAD = agent({ agentId: 'local.desk.lead', persona: 'Lead', systemPrompt: 'You lead.' });
const WORKER = agent({ agentId: 'local.desk.worker', persona: 'Worker', returnSchema: { type: 'object' } });
const CRITIC = agent({ agentId: 'local.desk.critic', persona: 'Critic', systemPrompt: 'You judge.' });

const team = (dispatch: Record<string, unknown> = {}) =>
  workflow(
    'team',
    [
      node(
        'lead',
        'core.orchestrator.supervisor',
        { workers: [{ id: WORKER.agentId, description: 'Writes.' }] },
        { agent: { agentId: LEAD.agentId } },
      ),
      node('hand', 'core.dispatch', { outputMapping: { report: 'text' } }, dispatch),
    ],
    { edges: [edge('lead', 'hand'), edge('hand', 'lead')], variables: [{ name: 'report', type: 'string' }] },
  );

const GO = valid({ kind: 'next-worker', nextWorkerIds: [WORKER.agentId], confidence: 0.9 });
const STOP = valid({ kind: 'terminate', reason: 'All done.', confidence: 0.9 });

describe('a live supervisor', () => {
  it('hands work to agents, and its turns have the events of an invocation', async () => {
    const { host, requests } = await agentBench({
      agents: [LEAD],
      models: [GO, valid({ text: 'A report.', confidence: 0.95 }), STOP],
    });
    await register(host, LEAD, WORKER);
    await host.register(team());
    const runId = await start(host, 'team');
    expect(await host.status(runId)).toBe('completed');
    const types = await host.types(runId);
    const turn = types.slice(
      types.indexOf('agent.invocation.started'),
      types.indexOf('runOrchestrator.decided') + 1,
    );
    expect(turn.filter((type) => !type.startsWith('baton.'))).toEqual([
      'agent.invocation.started',
      'agent.promptResolved',
      'provider.usage',
      'agent.reasoned',
      'agent.decided',
      'agent.invocation.completed',
      'runOrchestrator.decided',
    ]);
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([
      { name: 'report', next: 'A report.' },
    ]);
    expect(JSON.stringify(requests[2]?.messages)).toContain('A report.');
    const [carried] = await payloads(host, runId, 'baton.usage.carried');
    expect(carried).toMatchObject({ inputTokens: 10, outputTokens: 4 });
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(types);
    expect(requests).toHaveLength(3);
  });

  it('LIVE-20 closes the worker before its outputs are harvested', async () => {
    const { host } = await agentBench({
      agents: [LEAD],
      models: [GO, valid({ text: 'A report.' }), STOP],
    });
    await register(host, LEAD, WORKER);
    await host.register(team({ settings: { outputAttestation: { checksum: true } } }));
    const runId = await start(host, 'team');
    const worker = await host.events(`${runId}.1`);
    const parent = await host.events(runId);
    const closed = worker.find(({ type }) => type === 'agent.invocation.completed');
    const harvested = parent.find(
      ({ type, payload }) =>
        type === 'core.workflowChain.event' && (payload as { phase: string }).phase === 'output.harvested',
    );
    expect(closed?.sequence).toBe(worker.findLastIndex(({ type }) => type.startsWith('agent.')));
    expect(harvested?.payload).toHaveProperty('attestation.checksum');
    const placeOf = async (id: string, sequence: number) => {
      const [event] = await host.store.placedEvents(id, sequence, 1);
      return event?.place ?? 0;
    };
    expect(await placeOf(`${runId}.1`, closed?.sequence ?? 0)).toBeLessThan(
      await placeOf(runId, harvested?.sequence ?? 0),
    );
  });
});

describe('a live critic', () => {
  const gated = team({
    settings: { verifier: { workflowId: CRITIC.agentId, criteria: ['is short'], maxRevisions: 1 } },
  });

  it.each([
    ['pass', true],
    ['fail', false],
  ])('that answers %s decides about the merge', async (verdict, merged) => {
    const { host, requests } = await agentBench({
      agents: [LEAD],
      models: [GO, valid({ text: 'A report.' }), valid({ verdict, confidence: 0.9 }), STOP],
    });
    await register(host, LEAD, WORKER, CRITIC);
    await host.register(gated);
    const runId = await start(host, 'team');
    expect(await payloads(host, runId, 'agent.verified')).toMatchObject([
      { agentId: CRITIC.agentId, verdict },
    ]);
    expect((await host.types(runId)).includes('variable.changed')).toBe(merged);
    const seen = JSON.stringify(requests[2]?.messages);
    expect(seen).toContain('is short');
    expect(seen).toContain('A report.');
  });
});

describe('a handoff between agents', () => {
  const TARGET = agent({ agentId: 'local.desk.expert', persona: 'Expert' });
  const handoff = tool('handoff:local.desk.expert', { name: 'handoff_to_expert' });

  it.each([
    ['none', undefined],
    ['summary', 1],
    ['full', 2],
  ] as const)('LIVE-17 passes the history by its policy: %s', async (history, messages) => {
    const { host, requests } = await agentBench({
      tools: [handoff],
      models: [
        said('This is for an expert.', calls('handoff_to_expert', { task: 'Solve it.' })),
        said('Solved.'),
      ],
    });
    await register(host, agent({ handoffs: [{ agentId: TARGET.agentId, history }] }), TARGET);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect((await agentTypes(host, runId)).slice(-3)).toEqual([
      'agent.decided',
      'agent.handoff',
      'agent.invocation.completed',
    ]);
    expect(await payloads(host, runId, 'agent.handoff')).toEqual([
      { fromAgentId: 'local.desk.writer', toAgentId: TARGET.agentId },
    ]);
    expect(await payloads(host, runId, 'agent.invocation.completed')).toMatchObject([
      { outcome: 'handed-off', enqueuedRunId: `${runId}.1` },
    ]);
    const [begun] = await payloads(host, `${runId}.1`, 'run.started');
    const passed = begun?.inputs as JsonObject;
    expect(passed.task).toBe('Solve it.');
    expect((passed.history as unknown[] | undefined)?.length).toBe(messages);
    expect(requests).toHaveLength(2);
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
  });
});

describe('an agent that remembers', () => {
  it('LIVE-10 LIVE-11 LIVE-12 finds in a later run what it wrote, without secrets', async () => {
    const remember = tool('baton:remember', { name: 'remember' });
    const { host, requests } = await agentBench({
      tools: [remember],
      models: [said('', calls('remember', { text: 'Ana likes tea.' })), said('Noted.'), said('Tea.')],
    });
    await register(host, agent({ memoryShape: { longTerm: true } }));
    const first = await invoke(host);
    await settled();
    expect(await host.types(first)).toContain('memory.written');
    expect(await payloads(host, first, 'agent.invocation.started')).toMatchObject([{ memoryBound: true }]);
    await invoke(host);
    expect(JSON.stringify(requests[2]?.messages[0])).toContain('Ana likes tea.');
  });

  it('fails when a person declines its uncertain result', async () => {
    const { host } = await agentBench({ models: [valid({ confidence: 0.1 })] });
    await register(host, agent({ returnSchema: { type: 'object' } }));
    const runId = await invoke(host);
    await answer(host, runId, 'agent', { action: 'reject' });
    expect(await host.status(runId)).toBe('failed');
  });
});
