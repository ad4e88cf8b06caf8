import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import { edge, node, workflow } from '../../../../conformance/src/testkit/workflows.ts';

const gate = (config: Record<string, unknown> = {}, more = {}) =>
  simulate([workflow('w', [node('gate', 'core.approvalGate', config, more)])]);
const outputs = (run: Simulation) => run.run().nodes.gate;
const majority = (requiredApprovals: number) => ({ requiredApprovals, rejectionPolicy: 'majority' });

describe('approval', () => {
  it('suspends with an interrupt that carries the artifact, and completes when accepted', () => {
    const run = gate({ title: 'Ship it?' }, { inputs: { plan: { type: 'static', value: 'v1' } } });
    expect(run.status()).toBe('waiting-approval');
    expect(run.of('interrupt.requested')[0]?.payload).toMatchObject({
      kind: 'approval',
      key: 'gate:1:1',
      data: {
        artifactId: 'gate:1:1',
        artifactData: { plan: 'v1' },
        title: 'Ship it?',
        actions: ['accept', 'reject'],
      },
    });
    run.resolve('gate', { action: 'accept' });
    expect(outputs(run)).toMatchObject({ outputs: { action: 'accept', artifact: { plan: 'v1' } } });
    expect(run.status()).toBe('completed');
  });

  it('records who answered', () => {
    const run = gate();
    run.resolve('gate', { action: 'accept' }, { by: 'bo' });
    expect(run.of('approval.received')[0]?.payload).toMatchObject({
      decidedBy: 'bo',
    });
    expect(run.of('interrupt.resolved')[0]?.payload).toMatchObject({
      resolvedBy: 'bo',
    });
  });

  it('fails when rejected, or goes on when told to', () => {
    const strict = gate();
    strict.resolve('gate', { action: 'reject' });
    expect(strict.run().phase).toMatchObject({ status: 'failed', error: { code: 'approval_rejected' } });
    const lenient = gate({ onReject: 'continue' });
    lenient.resolve('gate', { action: 'reject' });
    expect(outputs(lenient)).toMatchObject({ outputs: { action: 'reject' } });
  });

  it('hands on the edited artifact after edit-accept', () => {
    const run = gate({ actions: ['edit-accept'] });
    expect(() => run.resolve('gate', { action: 'edit-accept' })).toThrow('editedArtifactData');
    run.resolve('gate', { action: 'edit-accept', editedArtifactData: { plan: 'v2' } });
    expect(outputs(run)).toMatchObject({ outputs: { action: 'edit-accept', artifact: { plan: 'v2' } } });
  });

  it('hands on what should be refined', () => {
    const run = gate({ actions: ['refine'] });
    expect(() => run.resolve('gate', { action: 'refine' })).toThrow('refineFeedback');
    run.resolve('gate', { action: 'refine', refineFeedback: { scope: 'whole', text: 'shorter' } });
    expect(outputs(run)).toMatchObject({
      outputs: { action: 'refine', refineFeedback: { text: 'shorter' } },
    });
  });

  it('keeps waiting after a question back', () => {
    const run = gate({ actions: ['accept', 'ask'] });
    run.resolve('gate', { action: 'ask', question: 'Why now?' });
    expect(run.status()).toBe('waiting-approval');
    expect(run.events().at(-1)).toMatchObject({
      type: 'clarification.requested',
      payload: { questions: [{ question: 'Why now?' }], askedBy: 'ana' },
    });
    run.resolve('gate', { action: 'accept' });
    expect(run.status()).toBe('completed');
  });

  it.each([
    ['an action that is not offered', { action: 'refine' }, 'action'],
    ['an action that is not known', { action: 'maybe' }, 'action'],
    ['no action', {}, 'action'],
    ['something that is not an object', 'accept', 'resumeValue'],
  ])('refuses %s, and stays open', (_what, value, field) => {
    const run = gate();
    expect(() => run.resolve('gate', value)).toThrow(field);
    expect(run.status()).toBe('waiting-approval');
  });

  it('refuses a second answer', () => {
    const run = simulate([
      workflow('w', [node('gate', 'core.approvalGate'), node('next', 'core.approvalGate')], {
        edges: [edge('gate', 'next')],
      }),
    ]);
    run.resolve('gate', { action: 'accept' });
    expect(() => run.resolve('gate', { action: 'accept' })).toThrow(
      expect.objectContaining({ code: 'interrupt_resolved' }),
    );
    expect(() => run.resolve('nobody', { action: 'accept' })).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });

  it('lapses after its time-out', () => {
    const run = gate({ timeoutMs: 1000 });
    expect(run.deadline()).toBe(run.now() + 1000);
    run.tick(1000);
    expect(run.run().phase).toMatchObject({ status: 'failed', error: { code: 'interrupt_timeout' } });
    expect(run.of('approval.received')[0]?.payload).toMatchObject({
      action: 'timeout',
    });
  });

  it('takes no signed token where the gate asks for a key', () => {
    const run = gate({ profile: 'openwop-interrupt-auth-required' });
    expect(() => run.resolve('gate', { action: 'accept' }, { viaToken: true })).toThrow(/API key/);
    run.resolve('gate', { action: 'accept' });
    expect(run.status()).toBe('completed');
  });
});

describe('quorum', () => {
  it.each<[what: string, config: Record<string, unknown>, votes: string, status: string]>([
    ['waits for enough different voters', { requiredApprovals: 3 }, 'a+ a+ b+', 'waiting-approval'],
    ['is there with the last of them', { requiredApprovals: 3 }, 'a+ a+ b+ c+', 'completed'],
    ['is rejected by one, unless it says otherwise', { requiredApprovals: 3 }, 'a+ b-', 'failed'],
    ['of three is not rejected by one of them', majority(3), 'a-', 'waiting-approval'],
    ['of three is rejected by two of them', majority(3), 'a- b-', 'failed'],
    ['of two is not rejected by half of it', majority(2), 'a-', 'waiting-approval'],
    ['of two is rejected by all of it', majority(2), 'a- b-', 'failed'],
    ['counts no rejection as an approval', majority(3), 'a- b+ c+', 'waiting-approval'],
    ['takes the last word of each voter', majority(3), 'a- b+ c+ a+', 'completed'],
  ])('%s', (_what, config, votes, status) => {
    const run = gate(config);
    for (const [voter = '', sign] of votes.split(' '))
      run.resolve('gate', { action: sign === '+' ? 'accept' : 'reject', voter });
    expect(run.status()).toBe(status);
    expect(run.of('approval.received')).toHaveLength(votes.split(' ').length);
  });

  it('counts only the authenticated principal when there is a list of approvers', () => {
    const run = gate({ requiredApprovals: 2, approversList: ['ana', 'bo'] });
    expect(() => run.resolve('gate', { action: 'accept', voter: 'ana' }, { by: 'eve' })).toThrow(
      /list of approvers/,
    );
    run.resolve('gate', { action: 'accept', voter: 'bo' }, { by: 'ana' });
    run.resolve('gate', { action: 'accept', voter: 'ana' }, { by: 'ana' });
    expect(run.status()).toBe('waiting-approval');
    run.resolve('gate', { action: 'accept' }, { by: 'bo' });
    expect(run.status()).toBe('completed');
  });
});

describe('clarification', () => {
  const questions = [
    { id: 'q1', question: 'Colour?' },
    { id: 'q2', question: 'How many?', schema: { type: 'integer' } },
  ];
  const ask = () => simulate([workflow('w', [node('ask', 'core.clarificationGate', { questions })])]);

  it('waits for input and hands on the answers', () => {
    const run = ask();
    expect(run.status()).toBe('waiting-input');
    run.resolve('ask', { answers: { q1: 'blue', q2: 2 } });
    expect(run.run().nodes.ask).toMatchObject({ outputs: { answers: { q1: 'blue', q2: 2 } } });
  });

  it.each([
    [{ answers: { q1: 'blue' } }, 'answers.q2'],
    [{ answers: { q1: 'blue', q2: 'two' } }, 'answers.q2'],
    [{}, 'answers'],
  ])('refuses %j, naming the field', (value, field) => {
    expect(() => ask().resolve('ask', value)).toThrow(field);
  });
});

describe('events from outside', () => {
  const data = { eventType: 'order.done', correlation: { orderId: 'o-1', status: 'ok' } };
  const wait = () =>
    simulate([
      workflow('w', [node('wait', 'core.interrupt', { kind: 'external-event', data, timeoutMs: 60_000 })]),
    ]);

  it('waits for an event that matches, and takes more than it asked for', () => {
    const run = wait();
    expect(run.status()).toBe('waiting-external');
    run.resolve('wait', { orderId: 'o-1', status: 'ok', extra: 1 });
    expect(run.run().nodes.wait).toMatchObject({ outputs: { extra: 1 } });
  });

  it('refuses an event that does not match, and keeps waiting', () => {
    const run = wait();
    expect(() => run.resolve('wait', { orderId: 'o-2', status: 'ok' })).toThrow(
      expect.objectContaining({ code: 'correlation_mismatch' }),
    );
    expect(run.status()).toBe('waiting-external');
  });

  it('checks an answer against the schema that the author gave', () => {
    const config = {
      kind: 'custom',
      data: { customKind: 'rating' },
      resumeSchema: { type: 'object', required: ['stars'] },
    };
    const run = simulate([workflow('w', [node('rate', 'core.interrupt', config)])]);
    expect(() => run.resolve('rate', {})).toThrow('stars');
    run.resolve('rate', { stars: 5 });
    expect(run.status()).toBe('completed');
  });
});

describe('agents that are not sure', () => {
  it('suspend below the threshold, after saying what they would do', () => {
    const config = { mockDecision: { decision: { kind: 'x' }, confidence: 0.5 } };
    const run = simulate([workflow('w', [node('agent', 'core.conformance.mock-agent', config)])]);
    expect(run.types()).toContain('agent.decided');
    expect(run.status()).toBe('waiting-approval');
    run.resolve('agent', { action: 'accept' });
    expect(run.run().nodes.agent).toMatchObject({ outputs: { decision: { kind: 'x' } } });
  });

  it('go on when the run sets a lower threshold', () => {
    const config = { mockDecision: { decision: 1, confidence: 0.5 } };
    const run = simulate([workflow('w', [node('agent', 'core.conformance.mock-agent', config)])], {
      configurable: { escalationThreshold: 0.4 },
    });
    expect(run.status()).toBe('completed');
  });

  it('speak in order: reasoning, tools, handoff, decision', () => {
    const config = {
      mockReasoning: { summary: 's', streamChunks: ['a', 'b'] },
      mockToolCalls: [
        { toolId: 't', arguments: { x: 1 }, result: 2 },
        { toolId: 'u', error: { error: 'e', message: 'm' } },
      ],
      mockHandoff: { toAgentId: 'other.agent' },
      mockDecision: { decision: 'go', confidence: 1 },
    };
    const run = simulate([workflow('w', [node('agent', 'core.conformance.mock-agent', config)])]);
    expect(run.types().filter((type) => type.startsWith('agent.'))).toEqual([
      'agent.reasoning.delta',
      'agent.reasoning.delta',
      'agent.reasoned',
      'agent.toolCalled',
      'agent.toolReturned',
      'agent.toolCalled',
      'agent.toolReturned',
      'agent.handoff',
      'agent.decided',
    ]);
    const [called, returned] = run.events().filter((event) => event.type.startsWith('agent.tool'));
    expect(returned?.causationId).toBe(called?.eventId);
  });
});
