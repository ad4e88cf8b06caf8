import type { JsonObject } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { edge, node, worker, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { answer, replay, start } from '../driver/forking.ts';
import { handClock, settled } from '../driver/test-engine.ts';
import { verifies } from '../verifies.ts';
import {
  AGENT_ID,
  agent,
  agentBench,
  agentTypes,
  calls,
  invalid,
  invoke,
  payloads,
  register,
  said,
  tool,
  valid,
} from './bench.ts';

/** Critics that judge the decision of an agent before it is used. */

const CRITIC = agent({ agentId: 'local.desk.critic', persona: 'Critic', systemPrompt: 'You judge.' });
const VERIFIER = { workflowId: CRITIC.agentId, criteria: ['grounded', 'short'] };
const WRITER = agent({ verifier: VERIFIER });
const PASS = valid({ verdict: 'pass', confidence: 0.9 });
const FAIL = valid({ verdict: 'fail' });
const REVISE = valid({ verdict: 'revise', feedback: 'Name the harbour.' });

const UNSURE = worker('unsure', { verdict: 'pass', confidence: 0.6 });

const OPEN = ['agent.invocation.started', 'agent.promptResolved', 'agent.reasoned'];
const JUDGED = [...OPEN, 'agent.decided', 'agent.verified', 'agent.invocation.completed'];

describe('a critic that passes a decision', () => {
  it('sees the result and the criteria, and lets the result in', async () => {
    verifies('VERIFY-01', 'VERIFY-04', 'VERIFY-12', 'LIVE-26');
    const models = [valid({ text: 'A poem.', confidence: 0.8 }), PASS];
    const { host, requests } = await agentBench({ models });
    await register(host, agent({ verifier: VERIFIER, returnSchema: { type: 'object' } }), CRITIC);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(await agentTypes(host, runId)).toEqual(JUDGED);
    const events = await host.events(runId);
    const decided = events.find(({ type }) => type === 'agent.decided');
    expect(await payloads(host, runId, 'agent.verified')).toEqual([
      {
        agentId: CRITIC.agentId,
        target: decided?.eventId,
        verdict: 'pass',
        criteria: ['grounded', 'short'],
        confidence: 0.9,
      },
    ]);
    const [started] = await payloads(host, `${runId}.1`, 'run.started');
    expect(started).toMatchObject({ role: 'critic' });
    expect(started?.inputs).toEqual({
      outputs: { result: { text: 'A poem.' } },
      criteria: ['grounded', 'short'],
      workerId: AGENT_ID,
      attempt: 1,
    });
    const types = await host.types(runId);
    expect(types.indexOf('variable.changed')).toBeGreaterThan(types.indexOf('agent.verified'));
    expect(await payloads(host, runId, 'baton.usage.carried')).toMatchObject([{ inputTokens: 10 }]);
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(types);
    expect(requests).toHaveLength(2);
  });

  it('VERIFY-08 with a low confidence leaves the decision to a person', async () => {
    const { host: first } = await agentBench(
      { models: [said('A poem.')] },
      { limits: { confidenceFloor: 0.9 } },
    );
    await register(first, agent({ verifier: { workflowId: 'unsure' } }));
    await first.register(UNSURE);
    const runId = await invoke(first);
    // A replay asks where its source asked, although the operator has set another floor since.
    const host = await first.crash({ limits: { confidenceFloor: 0.5 } });
    expect(await host.status(runId)).toBe('waiting-approval');
    expect(await payloads(host, runId, 'agent.invocation.completed')).toMatchObject([
      { outcome: 'escalated' },
    ]);
    expect(await host.types(runId)).not.toContain('variable.changed');
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
    await answer(host, runId, 'agent');
    await settled();
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([{ next: 'A poem.' }]);
  });

  it('does not stand in for a person where the agent itself is not sure', async () => {
    const { host } = await agentBench({ models: [valid({ text: 'Maybe.', confidence: 0.3 }), PASS] });
    await register(host, agent({ verifier: VERIFIER, returnSchema: { type: 'object' } }), CRITIC);
    const runId = await invoke(host);
    const types = await host.types(runId);
    expect(types.slice(types.indexOf('agent.verified') + 1)).toEqual([
      'agent.invocation.completed',
      'core.workflowChain.confidence-escalated',
      'interrupt.requested',
      'node.suspended',
    ]);
  });
});

describe('a critic that sends a decision back', () => {
  it('gets another one, from an invocation of its own that knows the feedback', async () => {
    verifies('VERIFY-11', 'LIVE-21', 'LIVE-23', 'LIVE-26', 'READ-33');
    const { host, requests } = await agentBench({
      models: [said('A poem.'), REVISE, said('A poem of Hull.'), PASS],
    });
    await register(host, WRITER, CRITIC);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(await agentTypes(host, runId)).toEqual([...JUDGED, ...JUDGED]);
    const opened = await payloads(host, runId, 'agent.invocation.started');
    expect(opened.map(({ invocationId }) => invocationId)).toEqual([
      `${runId}:agent:1:1`,
      `${runId}:agent:1:1.2`,
    ]);
    const closed = await payloads(host, runId, 'agent.invocation.completed');
    expect(closed.map(({ invocationId, outcome }) => [invocationId, outcome])).toEqual([
      [`${runId}:agent:1:1`, 'completed'],
      [`${runId}:agent:1:1.2`, 'completed'],
    ]);
    const decisions = (await host.events(runId)).filter(({ type }) => type === 'agent.decided');
    const verdicts = await payloads(host, runId, 'agent.verified');
    expect(verdicts.map(({ target }) => target)).toEqual(decisions.map(({ eventId }) => eventId));
    expect(requests[2]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(requests[2]?.messages.at(-1)?.content).toContain('Name the harbour.');
    expect(JSON.stringify(verdicts)).not.toContain('harbour');
    expect(await payloads(host, `${runId}.2`, 'run.started')).toMatchObject([
      { inputs: { outputs: { result: 'A poem of Hull.' }, attempt: 2 } },
    ]);
    expect(await payloads(host, runId, 'variable.changed')).toMatchObject([{ next: 'A poem of Hull.' }]);
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
    expect(requests).toHaveLength(4);
  });

  it('is shown in the conversation with the judged result, and the agent has its rounds again', async () => {
    verifies('READ-33');
    const search = tool('baton:search');
    const rounds = (q: number) => [said('', calls(search.name, { q })), said('Ready.'), valid({ n: q })];
    const { host, requests } = await agentBench({
      tools: [search],
      models: [...rounds(1), REVISE, ...rounds(2), PASS],
    });
    const returnSchema = { type: 'object' };
    const tools = { toolAllowlist: ['baton:search'], maxToolRounds: 2 };
    await register(host, agent({ verifier: VERIFIER, returnSchema, ...tools }), CRITIC);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    const invocation = [
      ...OPEN,
      'agent.toolCalled',
      'agent.toolReturned',
      'agent.reasoned',
      ...JUDGED.slice(OPEN.length),
    ];
    expect(await agentTypes(host, runId)).toEqual([...invocation, ...invocation]);
    expect(requests[4]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: '{\n  "n": 1\n}' },
      expect.objectContaining({ role: 'user' }),
    ]);
    const ids = (await payloads(host, runId, 'agent.toolCalled')).map(({ callId }) => callId);
    expect(new Set(ids).size).toBe(2);
  });

  it('leaves the agent all its attempts to give a result that fits', async () => {
    const { host } = await agentBench({
      models: [valid({ n: 1 }), REVISE, invalid('n is missing'), valid({ n: 2 }), PASS],
    });
    const writer = agent({ verifier: VERIFIER, returnSchema: { type: 'object' }, attempts: 2 });
    await register(host, writer, CRITIC);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('completed');
    expect(await agentTypes(host, runId)).toEqual([...JUDGED, ...JUDGED]);
  });

  it.each([
    ['maxRevisions', { ...VERIFIER, maxRevisions: 0 }, {}],
    ['maxLoopIterations', { ...VERIFIER, maxRevisions: 9 }, { configurable: { maxLoopIterations: 1 } }],
  ] as const)('VERIFY-10 VERIFY-11 does so only as often as %s allows', async (limit, verifier, more) => {
    const { host } = await agentBench({ models: [said('One.'), REVISE, said('Two.'), REVISE] });
    await register(host, agent({ verifier }), CRITIC);
    const runId = await invoke(host, { task: 'Write.' }, more as unknown as JsonObject);
    expect(await host.status(runId)).toBe('failed');
    const decided = await payloads(host, runId, 'agent.decided');
    expect(decided).toHaveLength(limit === 'maxRevisions' ? 1 : 2);
    expect(await payloads(host, runId, 'agent.invocation.completed')).toMatchObject([
      ...(limit === 'maxRevisions' ? [] : [{ outcome: 'completed' }]),
      { outcome: 'failed' },
    ]);
    expect(await host.types(runId)).not.toContain('variable.changed');
  });
});

describe('a critic that turns a decision down', () => {
  it('keeps the result out, and the run fails without a word of it in the verdict', async () => {
    verifies('VERIFY-05', 'VERIFY-09', 'VERIFY-10');
    const { host } = await agentBench({ models: [said('canary-4711'), FAIL] });
    await register(host, WRITER, CRITIC);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('failed');
    expect((await host.types(runId)).slice(-4)).toEqual([
      'agent.verified',
      'agent.invocation.completed',
      'node.failed',
      'run.failed',
    ]);
    expect(await payloads(host, runId, 'node.failed')).toMatchObject([{ error: { code: 'verdict_failed' } }]);
    expect(await payloads(host, runId, 'agent.invocation.completed')).toMatchObject([{ outcome: 'failed' }]);
    expect(await host.types(runId)).not.toContain('variable.changed');
    const told = (await host.events(runId)).filter(({ type }) =>
      ['agent.verified', 'node.failed', 'run.failed', 'baton.critic.started'].includes(type),
    );
    expect(JSON.stringify(told)).not.toContain('canary-4711');
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
  });

  it('VERIFY-10 leaves the goal of the run unmet where another node takes the failure', async () => {
    const { host } = await agentBench({ agents: [WRITER], models: [said('Bad.'), FAIL] });
    await register(host, WRITER, CRITIC);
    const nodes = [
      node('write', 'core.agent', {}, { agent: { agentId: AGENT_ID } }),
      node('else', 'core.noop'),
    ];
    await host.register(
      workflow('desk', nodes, { edges: [edge('write', 'else', { triggerRule: 'any_failed' })] }),
    );
    const runId = await start(host, 'desk');
    expect(await payloads(host, runId, 'run.completed')).toMatchObject([{ goal: { met: false } }]);
  });

  it.each([
    ['is not registered', { workflowId: 'nobody' }, []],
    ['gives no valid answer', VERIFIER, [valid({ opinion: 'fine' })]],
    ['would run above itself', { workflowId: AGENT_ID }, []],
  ] as const)('VERIFY-09 is also one that %s', async (_how, verifier, answers) => {
    const { host } = await agentBench({ models: [said('A poem.'), ...answers] });
    await register(host, agent({ verifier: verifier as never }), {
      ...CRITIC,
      returnSchema: { type: 'object' },
    });
    const runId = await invoke(host);
    expect(await payloads(host, runId, 'agent.verified')).toMatchObject([{ verdict: 'fail' }]);
    expect(await host.status(runId)).toBe('failed');
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
  });

  it('is also one that answers too late', async () => {
    const time = handClock();
    const never = new Promise<never>(() => undefined);
    const { host: first, perform } = await agentBench({ models: [said('A poem.'), PASS] });
    let asked = 0;
    const host = await first.crash({
      clock: time.clock,
      perform: (effect, context) => {
        if (effect.kind === 'model.call') asked += 1;
        return asked === 2 ? never : perform(effect, context);
      },
    });
    await register(host, agent({ verifier: { ...VERIFIER, timeoutMs: 1000 } }), CRITIC);
    const runId = await invoke(host);
    expect(await host.status(runId)).toBe('running');
    await time.move(1000);
    expect(await host.status(runId)).toBe('failed');
    expect(await host.status(`${runId}.1`)).toBe('cancelled');
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
  });
});

describe('the critic of a node', () => {
  it('VERIFY-07 comes before the critic of the manifest, and a self-verification can be seen', async () => {
    const { host } = await agentBench({ agents: [WRITER], models: [said('A poem.'), PASS, PASS] });
    await register(host, WRITER, CRITIC);
    const settings = { verifier: { workflowId: AGENT_ID, criteria: ['mine'] } };
    const writing = node('write', 'core.agent', {}, { agent: { agentId: AGENT_ID }, settings });
    await host.register(workflow('desk', [writing]));
    const runId = await start(host, 'desk');
    // The critic is the same agent, so the critic of its manifest judges its verdict.
    const [verified] = await payloads(host, runId, 'agent.verified');
    expect(verified).toMatchObject({ agentId: AGENT_ID, criteria: ['mine'] });
    const [decided] = await payloads(host, runId, 'agent.decided');
    expect(decided?.agentId).toBe(verified?.agentId);
    expect(await payloads(host, runId, 'baton.critic.started')).toMatchObject([{ actorId: AGENT_ID }]);
  });
});

describe('a live supervisor with a critic', () => {
  const lead = agent({ agentId: 'local.desk.lead', persona: 'Lead', systemPrompt: 'You lead.' });
  const stop = valid({ kind: 'terminate', reason: 'All done.', confidence: 0.9 });
  const deciding = node(
    'lead',
    'core.orchestrator.supervisor',
    { workers: [{ id: AGENT_ID }] },
    { agent: { agentId: lead.agentId }, settings: { verifier: VERIFIER } },
  );
  const HAND = node('hand', 'core.dispatch');
  const team = workflow('team', [deciding, HAND], {
    edges: [edge('lead', 'hand'), edge('hand', 'lead')],
  });

  it('makes one decision in its turn, the one that passed', async () => {
    const { host } = await agentBench({ agents: [lead], models: [stop, REVISE, stop, PASS] });
    await register(host, lead, CRITIC);
    await host.register(team);
    const runId = await start(host, 'team');
    expect(await host.status(runId)).toBe('completed');
    expect(await agentTypes(host, runId)).toEqual([...JUDGED, ...JUDGED]);
    expect(await payloads(host, runId, 'runOrchestrator.decided')).toHaveLength(1);
    const replayed = await replay(host, runId);
    expect(await host.types(replayed)).toEqual(await host.types(runId));
  });

  it('acts on nothing that was turned down', async () => {
    const { host } = await agentBench({ agents: [lead], models: [stop, FAIL] });
    await register(host, lead, CRITIC);
    await host.register(team);
    const runId = await start(host, 'team');
    expect(await host.status(runId)).toBe('failed');
    expect(await host.types(runId)).not.toContain('runOrchestrator.decided');
  });

  it('asks a person when the critic is not sure', async () => {
    const { host } = await agentBench(
      { agents: [lead], models: [stop] },
      { limits: { confidenceFloor: 0.8 } },
    );
    await register(host, lead);
    const settings = { verifier: { workflowId: 'unsure' } };
    await host.register({ ...team, nodes: [{ ...deciding, settings }, HAND] }, UNSURE);
    const runId = await start(host, 'team');
    expect(await host.status(runId)).toBe('waiting-approval');
    await answer(host, runId, 'lead');
    await settled();
    expect(await host.status(runId)).toBe('completed');
  });
});
