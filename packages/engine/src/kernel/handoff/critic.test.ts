import type { EventOf, Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  declare,
  edge,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

type Config = Record<string, unknown>;

const verdicts = (run: Simulation) =>
  run
    .events()
    .filter((event): event is EventOf<'agent.verified'> => event.type === 'agent.verified')
    .map((event) => event.payload.verdict);

/** A loop whose dispatch node names this critic. */
function judgedBy(critic: Config, ...more: readonly Config[]): Simulation {
  const parent = boss([hand('writer'), TERMINATE], { outputMapping: { report: 'text' } }) as {
    nodes: Config[];
  };
  parent.nodes[1] = { ...parent.nodes[1], settings: { verifier: { workflowId: 'critic' } } };
  return simulate([parent, worker('writer', { text: 'a draft' }), critic, ...more]);
}

const saying = (id: string, answer: Record<string, Json>) =>
  workflow(id, [node('judge', 'core.noop')], { variables: declare(answer) });

describe('any workflow can be a critic', () => {
  it('one that computes its verdict', () => {
    verifies('VERIFY-19');
    const assign = { verdict: 'inputs.outputs.text.contains("draft") ? "fail" : "pass"' };
    expect(verdicts(judgedBy(workflow('critic', [node('judge', 'vendor.baton.set', { assign })])))).toEqual([
      'fail',
    ]);
  });

  it('one that asks another workflow', () => {
    verifies('VERIFY-19');
    const call = node('ask', 'core.subWorkflow', {
      workflowId: 'expert',
      outputMapping: { verdict: 'opinion' },
    });
    const run = judgedBy(workflow('critic', [call]), saying('expert', { opinion: 'pass' }));
    expect(verdicts(run)).toEqual(['pass']);
    expect(run.run().variables.report).toBe('a draft');
  });

  it('one that waits for a person', () => {
    verifies('VERIFY-19');
    const gate = node('look', 'core.approvalGate', { title: 'Good enough?', actions: ['accept', 'reject'] });
    const assign = { verdict: '"pass"' };
    const critic = workflow('critic', [gate, node('judge', 'vendor.baton.set', { assign })], {
      edges: [edge('look', 'judge')],
    });
    const run = judgedBy(critic);
    expect(verdicts(run)).toEqual([]);
    run.resolve('look', { action: 'accept' }, { runId: 'root.2' });
    expect(verdicts(run)).toEqual(['pass']);
  });
});

describe('feedback', () => {
  it('reaches the next attempt also on a host that has to look the worker up first', () => {
    verifies('VERIFY-11');
    const settings = { verifier: { workflowId: 'critic' } };
    const call = node(
      'call',
      'core.subWorkflow',
      { workflowId: 'writer', outputMapping: { report: 'text' } },
      { settings },
    );
    const critic = workflow('critic', [node('wait', 'core.delay', { ms: 10 })], {
      variables: declare({ verdict: 'revise', feedback: 'cite sources' }),
    });
    const run = simulate([workflow('parent', [call]), worker('writer', { text: 'a draft' }), critic], {
      forgetful: true,
    });
    run.tick(10);
    expect(run.run('root.3').variables).toMatchObject({ attempt: 2, feedback: 'cite sources' });
  });
});

describe('names of workers and critics', () => {
  const judging = (verifier: string, workerOf: Config, ...more: readonly Config[]) => {
    const call = node(
      'call',
      'core.subWorkflow',
      { workflowId: String(workerOf.id) },
      { settings: { verifier: { workflowId: verifier } } },
    );
    const run = simulate([workflow('parent', [call]), workerOf, ...more]);
    const started = run.events().find((event) => event.type === 'baton.critic.started')?.payload;
    const verified = run.events().find((event) => event.type === 'agent.verified')?.payload;
    return [started?.actorId, verified?.agentId];
  };
  const named = (id: string, agentId: string) =>
    workflow(id, [node('work', 'core.noop', {}, { agent: { agentId, modelClass: 'general' } })], {
      variables: declare({ verdict: 'pass' }),
    });

  it('are equal where a worker judges its own work', () => {
    verifies('READ-43', 'VERIFY-07');
    expect(judging('writer', saying('writer', { verdict: 'pass' }))).toEqual(['writer', 'writer']);
    expect(judging('w', saying('w', { verdict: 'pass' }))).toEqual(['workflow:w', 'workflow:w']);
  });

  it('are those of the agents where there are agents, and equal where the agent is the same', () => {
    verifies('READ-43', 'VERIFY-07');
    expect(judging('critic', named('writer', 'acme.one'), named('critic', 'acme.one'))).toEqual([
      'acme.one',
      'acme.one',
    ]);
    expect(judging('critic', named('writer', 'acme.one'), named('critic', 'acme.two'))).toEqual([
      'acme.one',
      'acme.two',
    ]);
    expect(judging('critic', named('writer', 'acme.one'), saying('critic', { verdict: 'pass' }))).toEqual([
      'acme.one',
      'critic',
    ]);
  });

  it('follow the rule for a critic that could not be started, too', () => {
    verifies('READ-43');
    expect(judging('nobody', saying('writer', {}))).toEqual([undefined, 'nobody']);
  });
});

describe('verdicts', () => {
  it('are recorded only where a critic is named', () => {
    verifies('VERIFY-18');
    const plain = boss([hand('writer'), TERMINATE], { outputMapping: { report: 'text' } });
    const run = simulate([
      plain,
      worker('writer', { text: 'a draft' }),
      saying('critic', { verdict: 'fail' }),
    ]);
    expect(run.types()).not.toContain('agent.verified');
    expect(run.types()).not.toContain('baton.critic.started');
    expect(run.run().variables.report).toBe('a draft');
  });

  it('always count: nothing else has to be configured for a fail to keep the outputs out', () => {
    verifies('VERIFY-14');
    const run = judgedBy(saying('critic', { verdict: 'fail' }));
    expect(verdicts(run)).toEqual(['fail']);
    expect(run.run().variables).not.toHaveProperty('report');
  });
});
