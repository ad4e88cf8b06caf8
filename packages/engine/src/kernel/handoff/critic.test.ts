import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  declare,
  edge,
  gatedBoss,
  gatedCall,
  node,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

type Config = Record<string, unknown>;

const verdicts = (run: Simulation) => run.of('agent.verified').map((event) => event.payload.verdict);

const JUDGED = { verifier: { workflowId: 'critic' } };
const HARVEST = { outputMapping: { report: 'text' } };
const writer = worker('writer', { text: 'a draft' });

/** A loop whose dispatch node names this critic. */
const judgedBy = (critic: Config, ...more: readonly Config[]): Simulation =>
  simulate([gatedBoss(JUDGED, HARVEST), writer, critic, ...more]);

describe('any workflow can be a critic', () => {
  it('VERIFY-19 one that computes its verdict', () => {
    const assign = { verdict: 'inputs.outputs.text.contains("draft") ? "fail" : "pass"' };
    expect(verdicts(judgedBy(workflow('critic', [node('judge', 'vendor.baton.set', { assign })])))).toEqual([
      'fail',
    ]);
  });

  it('VERIFY-19 one that asks another workflow', () => {
    const call = node('ask', 'core.subWorkflow', {
      workflowId: 'expert',
      outputMapping: { verdict: 'opinion' },
    });
    const run = judgedBy(workflow('critic', [call]), worker('expert', { opinion: 'pass' }));
    expect(verdicts(run)).toEqual(['pass']);
    expect(run.run().variables.report).toBe('a draft');
  });

  it('VERIFY-19 one that waits for a person', () => {
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
  it('VERIFY-11 reaches the next attempt also on a host that has to look the worker up first', () => {
    const critic = workflow('critic', [node('wait', 'core.delay', { ms: 10 })], {
      variables: declare({ verdict: 'revise', feedback: 'cite sources' }),
    });
    const run = simulate([gatedCall(JUDGED, HARVEST), writer, critic], { forgetful: true });
    run.tick(10);
    expect(run.run('root.3').variables).toMatchObject({ attempt: 2, feedback: 'cite sources' });
  });
});

describe('names of workers and critics', () => {
  const judging = (verifier: string, workerOf: Config, ...more: readonly Config[]) => {
    const call = gatedCall({ verifier: { workflowId: verifier } }, { workflowId: String(workerOf.id) });
    const run = simulate([call, workerOf, ...more]);
    const started = run.of('baton.critic.started')[0]?.payload;
    const verified = run.of('agent.verified')[0]?.payload;
    return [started?.actorId, verified?.agentId];
  };
  const named = (id: string, agentId: string) =>
    workflow(id, [node('work', 'core.noop', {}, { agent: { agentId, modelClass: 'general' } })], {
      variables: declare({ verdict: 'pass' }),
    });

  it('READ-43 VERIFY-07 are equal where a worker judges its own work', () => {
    expect(judging('writer', worker('writer', { verdict: 'pass' }))).toEqual(['writer', 'writer']);
    expect(judging('w', worker('w', { verdict: 'pass' }))).toEqual(['workflow:w', 'workflow:w']);
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
    expect(judging('critic', named('writer', 'acme.one'), worker('critic', { verdict: 'pass' }))).toEqual([
      'acme.one',
      'critic',
    ]);
  });

  it('READ-43 follow the rule for a critic that could not be started, too', () => {
    expect(judging('nobody', worker('writer', {}))).toEqual([undefined, 'nobody']);
  });
});
