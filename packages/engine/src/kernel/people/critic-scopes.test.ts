import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  declare,
  gatedCall,
  node,
  WAYS,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

/** The scopes of children when a critic judges their work, and how deep they may nest. */

type Config = Record<string, unknown>;

const BOTH = ['runs:read', 'runs:cancel'];
const needs = (...requiredScopes: string[]) => ({ settings: { requiredScopes } });
const writer = workflow('writer', [node('work', 'core.noop', {}, needs('runs:cancel'))], {
  variables: declare({ text: 'draft' }),
});
const critic = workflow('critic', [node('judge', 'core.noop', {}, needs('runs:cancel'))], {
  variables: declare({ verdict: 'pass' }),
});

const start = (definition: Config, scopes: readonly string[], more: readonly unknown[] = []) =>
  simulate([definition, writer, critic, ...more], { scopes });
const errorOf = (run: Simulation, runId: string) => {
  const { phase } = run.run(runId);
  return phase.kind === 'ended' ? phase.error?.code : undefined;
};

describe.each(WAYS)('scopes of a %s with a critic', (_way, gated) => {
  const verifier = { workflowId: 'critic', maxRevisions: 0 };
  const parent = (settings: Config) => gated(settings, { outputMapping: { report: 'text' } });

  it('SCOPE-01 principalScope narrows the child, and not the critic', () => {
    const run = start(parent({ verifier, outputAttestation: { principalScope: ['runs:read'] } }), BOTH);
    expect(run.run('root.1').scopes).toEqual(['runs:read']);
    expect(errorOf(run, 'root.1')).toBe('forbidden');
    const allowed = start(parent({ verifier, outputAttestation: { principalScope: BOTH } }), BOTH);
    expect(allowed.run('root.2')).toMatchObject({ role: 'critic', scopes: BOTH });
    expect(allowed.run().variables.report).toBe('draft');
  });

  it('SCOPE-01 SCOPE-02 the principalScope of the critic narrows the critic, and never widens it', () => {
    const narrow = { ...verifier, principalScope: ['runs:read'] };
    const run = start(parent({ verifier: narrow }), BOTH);
    expect(run.run('root.1').scopes).toEqual(BOTH);
    expect(errorOf(run, 'root.2')).toBe('forbidden');
    expect(run.run().variables).not.toHaveProperty('report');
    const wide = { ...verifier, principalScope: BOTH };
    const poor = start(parent({ verifier: wide, outputAttestation: {} }), ['runs:cancel']);
    expect(poor.run('root.2').scopes).toEqual(['runs:cancel']);
  });

  it('SCOPE-05 a critic has no more than the run that it judges for', () => {
    const run = start(parent({ verifier }), ['runs:read'], [worker('writer', { text: 'x' })]);
    expect(run.run('root.2')).toMatchObject({ role: 'critic', scopes: ['runs:read'] });
    expect(errorOf(run, 'root.2')).toBe('forbidden');
    expect(run.run().variables).not.toHaveProperty('report');
  });
});

describe('scopes below a narrowed child', () => {
  it('SCOPE-05 restrict the critic of its own children', () => {
    const top = gatedCall({ outputAttestation: { principalScope: ['runs:read'] } });
    const middle = gatedCall({ verifier: { workflowId: 'critic', maxRevisions: 0 } }, { workflowId: 'leaf' });
    const run = simulate([top, { ...middle, id: 'writer' }, worker('leaf'), critic], { scopes: BOTH });
    expect(run.run('root.1.1').scopes).toEqual(['runs:read']);
    expect(run.run('root.1.2')).toMatchObject({ role: 'critic', scopes: ['runs:read'] });
    expect(errorOf(run, 'root.1.2')).toBe('forbidden');
  });
});

describe('cycles', () => {
  const calls = (id: string, next: string) =>
    workflow(id, [node('call', 'core.subWorkflow', { workflowId: next })]);

  it.each([
    ['of one workflow', [calls('a', 'a')], 1],
    ['of two', [calls('a', 'b'), calls('b', 'a')], 2],
    ['of three', [calls('a', 'b'), calls('b', 'c'), calls('c', 'a')], 3],
    ['that the root is no part of', [calls('a', 'b'), calls('b', 'c'), calls('c', 'b')], 3],
  ])('SCOPE-06 %s end with cycle_detected at the first repetition', (_what, definitions, runs) => {
    const run = simulate(definitions);
    expect(run.runIds()).toHaveLength(runs);
    expect(errorOf(run, run.runIds().at(-1) ?? '')).toBe('cycle_detected');
    expect(run.status()).toBe('failed');
  });

  it('SCOPE-06 through a critic end as a verdict of fail', () => {
    const judge = workflow('critic', [node('again', 'core.subWorkflow', { workflowId: 'parent' })], {
      variables: declare({ verdict: 'pass' }),
    });
    const judged = { verifier: { workflowId: 'critic', maxRevisions: 0 } };
    const parent = gatedCall(judged, { outputMapping: { out: 'text' } });
    const run = simulate([parent, worker('writer', { text: 'x' }), judge]);
    expect(errorOf(run, 'root.2')).toBe('cycle_detected');
    expect(run.run().variables).not.toHaveProperty('out');
  });

  it('SCOPE-06 the depth of a tree is bounded at the very number that is set', () => {
    const chain = [calls('a', 'b'), calls('b', 'c'), workflow('c', [node('end', 'core.noop')])];
    expect(simulate(chain, { limits: { maxDepth: 3 } }).status()).toBe('completed');
    const deep = simulate(chain, { limits: { maxDepth: 2 } });
    expect(deep.runIds()).toHaveLength(2);
    expect(errorOf(deep, 'root.1')).toBe('depth_limit_exceeded');
  });
});
