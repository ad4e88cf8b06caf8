import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  edge,
  hand,
  LOOP_EDGES,
  node,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../conformance/src/testkit/workflows.ts';

const first = (run: Simulation, type: string, runId?: string) =>
  run.events(runId).find((event) => event.type === type);
const phase = (run: Simulation, name: string) =>
  run.events().find((event) => event.type === 'core.workflowChain.event' && event.payload.phase === name);
const eventOf = (run: Simulation, type: string, nodeId: string) =>
  run.events().find((event) => event.type === type && event.nodeId === nodeId);
const withSettings = (definition: Record<string, unknown>, nodeId: string, settings: object) => ({
  ...definition,
  nodes: (definition.nodes as { id: string }[]).map((one) =>
    one.id === nodeId ? { ...one, settings } : one,
  ),
});

describe('decisions that cannot be routed', () => {
  it('LOOP-17 lets one dispatch node consume a decision, and the next find none', () => {
    const nodes = [
      node('supervisor', 'core.orchestrator.supervisor', { script: [hand('w')] }),
      node('between', 'core.noop'),
      node('first', 'core.dispatch'),
      node('second', 'core.dispatch'),
    ];
    const edges = [edge('supervisor', 'between'), edge('between', 'first'), edge('first', 'second')];
    const run = simulate([workflow('chain', nodes, { edges }), worker('w')]);
    expect(run.run().phase).toMatchObject({ status: 'failed', error: { code: 'no_pending_decision' } });
    expect(run.runIds()).toEqual(['root', 'root.1']);
  });
});

describe('turns', () => {
  it('LOOP-03 HAND-14 starts the dispatch node because of the decision', () => {
    const run = simulate([boss([hand('w'), TERMINATE]), worker('w')]);
    expect(eventOf(run, 'node.started', 'dispatch')?.causationId).toBe(
      first(run, 'runOrchestrator.decided')?.eventId,
    );
  });

  it.each([
    ['with', { outputMapping: { result: 'out' } }],
    ['without', {}],
  ])('LOOP-23 says that the last child completed, %s something to harvest', (_what, config) => {
    const run = simulate([boss([hand('w'), TERMINATE], config), worker('w', { out: 'x' })]);
    expect(eventOf(run, 'node.completed', 'dispatch')?.payload).toEqual({
      nodeId: 'dispatch',
      outputs: { childRunId: 'root.1', childStatus: 'completed' },
    });
  });

  it('skips what leads out of a dispatch node that never had anything to do', () => {
    const nodes = [
      node('supervisor', 'core.orchestrator.supervisor', { script: [TERMINATE] }),
      node('dispatch', 'core.dispatch'),
      node('after', 'core.noop'),
    ];
    const run = simulate([workflow('boss', nodes, { edges: [...LOOP_EDGES, edge('dispatch', 'after')] })]);
    expect(eventOf(run, 'node.skipped', 'after')).toBeDefined();
    expect(run.status()).toBe('completed');
  });

  it('hands a failed supervisor to the node that handles it', () => {
    const config = { mockConfidence: 0.1, mockPendingDecision: hand('w') };
    const nodes = [
      node('supervisor', 'core.orchestrator.supervisor', config),
      node('dispatch', 'core.dispatch'),
      node('rescue', 'core.noop'),
    ];
    const edges = [...LOOP_EDGES, edge('supervisor', 'rescue', { triggerRule: 'any_failed' })];
    const run = simulate([workflow('boss', nodes, { edges }), worker('w')]);
    run.resolve('supervisor', { action: 'reject' });
    expect(eventOf(run, 'node.completed', 'rescue')).toBeDefined();
    expect(run.status()).toBe('completed');
  });
});

describe('a handoff that goes well', () => {
  it('HAND-14 is the cause of the child, of its announcement and of every value it brings home', () => {
    const run = simulate([
      boss([hand('w'), TERMINATE], { outputMapping: { result: 'out' } }),
      worker('w', { out: 'done' }),
    ]);
    const began = phase(run, 'dispatch.began')?.eventId;
    expect(first(run, 'node.dispatched')?.causationId).toBe(began);
    expect(first(run, 'run.started', 'root.1')?.causationId).toBe(began);
    expect(first(run, 'variable.changed')?.causationId).toBe(phase(run, 'output.harvested')?.eventId);
  });
});

describe('a handoff that does not', () => {
  it('HAND-03 HAND-28 does not start a worker whose required input the mapping leaves out', () => {
    const needy = workflow('w', [node('n', 'core.noop')], {
      variables: [{ name: 'topic', type: 'string', required: true }],
    });
    const run = simulate([boss([hand('w'), TERMINATE]), needy]);
    expect(phase(run, 'dispatch.failed')?.payload).toMatchObject({ error: { code: 'input_missing' } });
    expect(run.runIds()).toEqual(['root']);
    expect(run.status()).toBe('completed');
  });
});

describe('pause and resume', () => {
  it('says in the log who asked for a pause and why, also after draining', () => {
    const run = simulate([workflow('w', [node('a', 'core.delay', { ms: 10 })])]);
    run.pause('drain-current-node');
    run.tick(10);
    expect(first(run, 'run.paused')?.payload).toMatchObject({ by: 'ana' });
  });
});

describe('limits', () => {
  it('does not count another attempt as another execution', () => {
    const settings = { retry: { maxRetries: 1, backoffMs: 0 } };
    const run = simulate([workflow('w', [node('bad', 'core.fail', {}, { settings })])], {
      configurable: { recursionLimit: 1 },
    });
    run.tick(0);
    expect(run.run().phase).toMatchObject({ error: { code: 'conformance_test_failure' } });
  });
});

describe('cancel', () => {
  it('says who cancelled, and why', () => {
    const run = simulate([workflow('w', [node('gate', 'core.approvalGate')])]);
    run.cancel();
    expect(run.events().at(-1)?.payload).toMatchObject({ cancelledBy: 'ana', reason: 'test' });
  });
});

describe('retries and time-outs', () => {
  it.each([
    ['a sub-workflow', 'call', workflow('w', [node('call', 'core.subWorkflow', { workflowId: 'c' })])],
    ['a worker', 'dispatch', boss([hand('c')])],
  ])('takes %s down with a node that takes too long', (_what, nodeId, definition) => {
    const run = simulate([withSettings(definition, nodeId, { timeoutMs: 10 }), waitingWorker('c')]);
    run.tick(10);
    expect([run.status(), run.status('root.1')]).toEqual(['failed', 'cancelled']);
  });

  it('waits no longer than maxBackoffMs', () => {
    const settings = { retry: { maxRetries: 1, backoffMs: 1000, maxBackoffMs: 10 } };
    const run = simulate([workflow('w', [node('bad', 'core.fail', {}, { settings })])]);
    expect(run.deadline()).toBe(run.now() + 10);
  });

  it('does not try again what would only fail again', () => {
    const settings = { retry: { maxRetries: 3, backoffMs: 0 } };
    const run = simulate([workflow('w', [node('gate', 'core.approvalGate', {}, { settings })])]);
    run.resolve('gate', { action: 'reject' });
    expect(run.status()).toBe('failed');
    expect(run.types()).not.toContain('node.retried');
  });
});

describe('failures', () => {
  it('names the node and the event that a run failed for', () => {
    const run = simulate([workflow('w', [node('bad', 'core.fail')])]);
    const failed = first(run, 'node.failed');
    expect(run.events().at(-1)).toMatchObject({
      type: 'run.failed',
      causationId: failed?.eventId,
      payload: { failedNodeId: 'bad' },
    });
  });
});

describe('quorum', () => {
  const gate = (config: Record<string, unknown>) =>
    simulate([workflow('w', [node('gate', 'core.approvalGate', config)])]);

  it('takes no question back from someone who is not on the list', () => {
    const run = gate({ actions: ['accept', 'ask'], approversList: ['bo'] });
    expect(() => run.resolve('gate', { action: 'ask', question: 'Why?' })).toThrow(/list of approvers/);
  });
});

describe('approval', () => {
  it('is caused link by link, from the question to the node that goes on', () => {
    const run = simulate([workflow('w', [node('gate', 'core.approvalGate')])]);
    run.resolve('gate', { action: 'accept' });
    const types = ['interrupt.requested', 'approval.received', 'interrupt.resolved', 'node.resumed'];
    const links = types.map((type) => first(run, type));
    expect(links.slice(1).map((event) => event?.causationId)).toEqual(
      links.slice(0, -1).map((event) => event?.eventId),
    );
  });
});

describe('pause and resume', () => {
  it('calls off a pause that is still draining', () => {
    const run = simulate([
      workflow('w', [node('a', 'core.delay', { ms: 10 }), node('b', 'core.noop')], {
        edges: [edge('a', 'b')],
      }),
    ]);
    run.pause('drain-current-node');
    run.resume();
    run.tick(10);
    expect(run.status()).toBe('completed');
    expect(run.types()).not.toContain('run.paused');
  });

  it('wakes for the time-out of a node', () => {
    const run = simulate([
      workflow('w', [node('ask', 'core.approvalGate', {}, { settings: { timeoutMs: 10 } })]),
    ]);
    expect(run.deadline()).toBe(run.now() + 10);
  });
});

describe('the status of a parent', () => {
  it('HAND-30 is what its child waits for only while it has nothing else to do', () => {
    const parent = (more: Record<string, unknown>[]) =>
      workflow('p', [node('call', 'core.subWorkflow', { workflowId: 'c' }), ...more]);
    expect(simulate([parent([]), waitingWorker('c')]).status()).toBe('waiting-approval');
    const busy = simulate([parent([node('wait', 'core.delay', { ms: 10 })]), waitingWorker('c')]);
    expect(busy.status()).toBe('running');
    busy.tick(10);
    expect(busy.status()).toBe('waiting-approval');
  });
});

describe('inputs and assignments', () => {
  it('lets assignments see the ports of their node', () => {
    const run = simulate([
      workflow('w', [
        node(
          's',
          'vendor.baton.set',
          { assign: { a: 'inputs.x + 1' } },
          { inputs: { x: { type: 'static', value: 1 } } },
        ),
      ]),
    ]);
    expect(run.run().variables.a).toBe(2);
  });
});

describe('a supervisor', () => {
  const loop = (config: object, more: object = {}) =>
    workflow(
      'boss',
      [
        node('supervisor', 'core.orchestrator.supervisor', { ...config }, { ...more }),
        node('dispatch', 'core.dispatch'),
      ],
      { edges: LOOP_EDGES },
    );
  const held = { mockPendingDecision: hand('w') };

  it.each([
    [0.7, {}, 'completed'],
    [0.69, {}, 'waiting-approval'],
    [0.5, { escalationThreshold: 0.5 }, 'completed'],
    [0.5, { escalationThreshold: 0.6 }, 'waiting-approval'],
  ])('CONF-10 that is %s sure, with %j, leaves the run %s', (mockConfidence, configurable, status) => {
    const run = simulate([loop({ ...held, mockConfidence }), worker('w')], { configurable });
    expect(run.status()).toBe(status);
  });

  it('decides nothing that a person has rejected', () => {
    const run = simulate([loop({ ...held, mockConfidence: 0.1 }), worker('w')]);
    run.resolve('supervisor', { action: 'reject' });
    expect(run.run().phase).toMatchObject({ error: { code: 'approval_rejected' } });
    expect(run.types()).not.toContain('runOrchestrator.decided');
  });

  it('LOOP-05 takes a single pending decision once, and terminates then', () => {
    const run = simulate([loop(held), worker('w')], { limits: { loopIterations: 10 } });
    expect(run.of('runOrchestrator.decided')).toHaveLength(2);
    expect(run.status()).toBe('completed');
  });

  it('LOOP-16 signs with the agent that the author named, because of the turn it was given', () => {
    const run = simulate([loop({ script: [TERMINATE] }, { agent: { agentId: 'lead.agent' } })]);
    expect(first(run, 'runOrchestrator.decided')).toMatchObject({
      causationId: eventOf(run, 'node.started', 'supervisor')?.eventId,
      payload: { agentId: 'lead.agent' },
    });
    expect(run.run().orchestrator?.agentId).toBe('lead.agent');
  });
});

describe('a sub-workflow', () => {
  const settings = { retry: { maxRetries: 2, backoffMs: 0 } };
  const call = (workflowId: string) =>
    workflow('p', [node('call', 'core.subWorkflow', { workflowId }, { settings })]);
  const needy = workflow('needy', [node('n', 'core.noop')], {
    variables: [{ name: 'topic', type: 'string', required: true }],
  });

  it.each([
    ['nobody', 'worker_not_found'],
    ['needy', 'input_missing'],
    ['p', 'cycle_detected'],
  ])('that cannot start (%s) fails at once, without a child and without another try', (workflowId, code) => {
    const run = simulate([call(workflowId), needy]);
    expect(run.run().phase).toMatchObject({ error: { code } });
    expect(run.runIds()).toEqual(['root']);
    expect(run.types()).not.toContain('node.retried');
  });
});

describe('questions that nobody answers', () => {
  it.each([
    ['core.clarificationGate', { questions: [{ id: 'q', question: '?' }], timeoutMs: 10 }],
    ['core.interrupt', { kind: 'custom', data: { customKind: 'k' }, timeoutMs: 10 }],
  ])('fail a %s after its time-out', (typeId, config) => {
    const run = simulate([workflow('w', [node('ask', typeId, config)])]);
    expect(run.deadline()).toBe(run.now() + 10);
    run.tick(10);
    expect(run.run().phase).toMatchObject({ error: { code: 'interrupt_timeout' } });
  });

  it('let an agent do nothing that a person has rejected', () => {
    const config = { mockDecision: { decision: 1, confidence: 0.1 } };
    const run = simulate([workflow('w', [node('agent', 'core.conformance.mock-agent', config)])]);
    run.resolve('agent', { action: 'reject' });
    expect(run.run().phase).toMatchObject({ error: { code: 'approval_rejected' } });
  });
});

describe('a delay', () => {
  it('takes its length from an input before its config', () => {
    const inputs = { delayMs: { type: 'static', value: 5 } };
    const run = simulate([workflow('w', [node('d', 'core.delay', { ms: 50 }, { inputs })])]);
    expect(run.deadline()).toBe(run.now() + 5);
  });
});
