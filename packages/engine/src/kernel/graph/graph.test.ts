import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import { declare, edge, node, workflow } from '../../../../conformance/src/testkit/workflows.ts';
import { judge } from './readiness.ts';

const noop = (id: string, more = {}) => node(id, 'core.noop', {}, more);
const fail = (id: string, more = {}) => node(id, 'core.fail', {}, more);
const set = (id: string, assign: Record<string, string>) => node(id, 'vendor.baton.set', { assign });

const started = (run: Simulation) =>
  run.events().flatMap((event) => (event.type === 'node.started' ? [event.nodeId] : []));
const skipped = (run: Simulation) =>
  run.events().flatMap((event) => (event.type === 'node.skipped' ? [event.nodeId] : []));

describe('trigger rules', () => {
  it.each([
    ['all_success', ['success', 'success'], 'start'],
    ['all_success', ['success', 'pending'], 'wait'],
    ['all_success', ['pending', 'failed'], 'skip'],
    ['all_success', ['success', 'skipped'], 'skip'],
    ['any_success', ['pending', 'success'], 'start'],
    ['any_success', ['pending', 'failed'], 'wait'],
    ['any_success', ['failed', 'skipped'], 'skip'],
    ['all_complete', ['success', 'pending'], 'wait'],
    ['all_complete', ['success', 'failed'], 'start'],
    ['all_complete', ['failed', 'skipped'], 'start'],
    ['all_complete', ['skipped', 'skipped'], 'skip'],
    ['none_failed', ['success', 'skipped'], 'start'],
    ['none_failed', ['success', 'pending'], 'wait'],
    ['none_failed', ['pending', 'failed'], 'skip'],
    ['none_failed', ['skipped', 'skipped'], 'skip'],
    ['any_failed', ['pending', 'failed'], 'start'],
    ['any_failed', ['pending', 'success'], 'wait'],
    ['any_failed', ['success', 'success'], 'skip'],
  ] as const)('%s over %j: %s', (rule, outcomes, verdict) => {
    expect(judge(rule, outcomes)).toBe(verdict);
  });

  it('runs branches and joins them', () => {
    const run = simulate([
      workflow('w', [noop('a'), noop('b'), noop('c'), noop('d')], {
        edges: [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('c', 'd')],
      }),
    ]);
    expect(started(run)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('runs a clean-up after a failure, and the run goes on', () => {
    const run = simulate([
      workflow('w', [fail('work'), noop('cleanUp'), noop('next')], {
        edges: [edge('work', 'cleanUp', { triggerRule: 'any_failed' }), edge('work', 'next')],
      }),
    ]);
    expect(started(run)).toEqual(['work', 'cleanUp']);
    expect(skipped(run)).toEqual(['next']);
    expect(run.status()).toBe('completed');
  });

  it('fails the run when nobody handles the failure, and stops what else is under way', () => {
    const run = simulate([workflow('w', [node('slow', 'core.delay', { ms: 1000 }), fail('bad')])]);
    expect(run.run().phase).toMatchObject({ status: 'failed', error: { code: 'conformance_test_failure' } });
    expect(run.types().slice(-3)).toEqual(['node.failed', 'node.cancelled', 'run.failed']);
  });

  it('passes through a disabled node', () => {
    const run = simulate([
      workflow('w', [noop('a'), noop('b', { disabled: true }), noop('c')], {
        edges: [edge('a', 'b'), edge('b', 'c')],
      }),
    ]);
    expect(started(run)).toEqual(['a', 'c']);
    expect(skipped(run)).toEqual(['b']);
  });
});

describe('conditions', () => {
  const branch = (condition: Record<string, unknown>, variables = {}) => {
    const run = simulate([
      workflow('w', [noop('a'), noop('b')], {
        edges: [edge('a', 'b', { condition })],
        variables: declare(variables),
      }),
    ]);
    return started(run).includes('b');
  };

  it.each([
    [{ type: 'expression', expression: 'variables.n > 1' }, { n: 2 }, true],
    [{ type: 'expression', expression: 'variables.n > 1' }, { n: 1 }, false],
    [{ type: 'equals', left: 'variables.s', right: 'x' }, { s: 'x' }, true],
    [{ type: 'equals', left: 'variables.s', right: { a: [1] } }, { s: { a: [1] } }, true],
    [{ type: 'equals', left: 'variables.missing', right: 'x' }, {}, false],
    [{ type: 'notEquals', left: 'variables.s', right: 'x' }, { s: 'y' }, true],
    [{ type: 'contains', left: 'variables.s', right: 'ell' }, { s: 'hello' }, true],
    [{ type: 'contains', left: 'variables.l', right: 2 }, { l: [1, 2] }, true],
    [{ type: 'regex', left: 'variables.s', right: '^h.*o$' }, { s: 'hello' }, true],
    [{ type: 'regex', left: 'variables.s', right: '^x' }, { s: 'hello' }, false],
  ])('%j with %j is %s', (condition, variables, taken) => {
    expect(branch(condition, variables)).toBe(taken);
  });

  it('fails the run, naming the node, when a condition cannot be evaluated', () => {
    const run = simulate([
      workflow('w', [noop('a'), noop('b')], {
        edges: [edge('a', 'b', { condition: { expression: 'variables.missing > 1' } })],
      }),
    ]);
    expect(run.run().phase).toMatchObject({ status: 'failed', error: { code: 'expression_failed' } });
  });

  it('matches a pattern that would stall a backtracking matcher', () => {
    expect(
      branch({ type: 'regex', left: 'variables.s', right: '^(a+)+$' }, { s: `${'a'.repeat(5000)}!` }),
    ).toBe(false);
  });
});

describe('inputs and assignments', () => {
  it('takes values from static, variable, connection and expression ports', () => {
    const run = simulate(
      [
        workflow(
          'w',
          [
            set('first', { doubled: 'inputs.n * 2' }),
            node(
              'echo',
              'core.identity',
              {},
              {
                inputs: {
                  fixed: { type: 'static', value: [1] },
                  named: { type: 'variable', variableName: 'doubled' },
                  absent: { type: 'variable', variableName: 'nothing' },
                  wired: { type: 'connection', nodeId: 'first', outputKey: 'doubled' },
                  computed: { type: 'expression', expression: 'nodes.first.outputs.doubled + 0.5' },
                },
              },
            ),
          ],
          { edges: [edge('first', 'echo')] },
        ),
      ],
      { inputs: { n: 21 } },
    );
    expect(run.run().nodes.echo).toMatchObject({
      outputs: { fixed: [1], named: 42, wired: 42, computed: 42.5 },
    });
  });

  it('fails a node whose connection has no value', () => {
    const inputs = { x: { type: 'connection', nodeId: 'a', outputKey: 'nothing' } };
    const run = simulate([
      workflow('w', [noop('a'), node('b', 'core.identity', {}, { inputs })], { edges: [edge('a', 'b')] }),
    ]);
    expect(run.run().phase).toMatchObject({
      error: { code: 'input_missing', message: expect.stringContaining('"x"') },
    });
  });

  it('assigns in order, each seeing the ones before', () => {
    const run = simulate([
      workflow('w', [set('s', { a: '1', b: 'variables.a + 1', c: '[variables.a, variables.b]' })]),
    ]);
    expect(run.run().variables).toEqual({ a: 1, b: 2, c: [1, 2] });
  });

  it('fails the node when an expression cannot be evaluated', () => {
    const run = simulate([workflow('w', [set('s', { a: 'variables.missing + 1' })])]);
    expect(run.run().phase).toMatchObject({ error: { code: 'expression_failed' } });
  });

  it.each([
    ['not an expression', 'variables.'],
    ['a pattern match', 'variables.s.matches("^(a+)+$")'],
    ['loops within loops within loops', '[1].map(a, [1].map(b, [1].map(c, c)))'],
  ])('refuses %s at registration', (_what, text) => {
    expect(() => simulate([workflow('w', [set('s', { a: text })])])).toThrow('config.assign.a');
  });
});

describe('retries and time-outs', () => {
  const retry = { maxRetries: 2, backoffMs: 100, factor: 3 };

  it('tries again after a growing delay, and fails with the number of attempts', () => {
    const run = simulate([workflow('w', [fail('bad', { settings: { retry } })])]);
    expect(run.deadline()).toBe(run.now() + 100);
    run.tick(100);
    expect(run.deadline()).toBe(run.now() + 300);
    run.tick(300);
    expect(run.of('node.retried').map((event) => event.payload)).toMatchObject([
      { attempt: 2, delayMs: 100 },
      { attempt: 3, delayMs: 300 },
    ]);
    expect(run.of('node.failed')[0]?.payload).toMatchObject({
      attempts: 3,
    });
    expect(run.run().executions).toBe(1);
  });

  it('uses the retries of the workflow for nodes that say nothing', () => {
    const run = simulate([workflow('w', [fail('bad')], { settings: { maxRetries: 1 } })]);
    expect(run.run().nodes.bad).toMatchObject({ status: 'retrying', attempt: 1 });
  });

  it('waits as long as a delay says, in any of its spellings', () => {
    for (const config of [{ ms: 50 }, { durationMs: 50 }, { delayMs: 50 }]) {
      const run = simulate([workflow('w', [node('d', 'core.delay', config)])]);
      run.tick(49);
      expect(run.status()).toBe('running');
      run.tick(1);
      expect(run.status()).toBe('completed');
    }
  });

  it('refuses a wait that no calendar holds', () => {
    const inputs = { delayMs: { type: 'static', value: 1e20 } };
    const run = simulate([workflow('w', [node('d', 'core.delay', {}, { inputs })])]);
    expect(run.run().phase).toMatchObject({ error: { code: 'input_missing' } });
  });

  it('fails a node that takes too long, and the answer it waited for is refused from then on', () => {
    const run = simulate([
      workflow('w', [node('ask', 'core.approvalGate', {}, { settings: { timeoutMs: 10 } })]),
    ]);
    run.tick(10);
    expect(run.run().phase).toMatchObject({ error: { code: 'node_timeout' } });
    expect(() => run.resolve('ask', { action: 'accept' })).toThrow(/ended/);
  });

  it('asks again under a new key when a timed-out question is retried', () => {
    const settings = { timeoutMs: 10, retry: { maxRetries: 1, backoffMs: 0 } };
    const run = simulate([workflow('w', [node('ask', 'core.approvalGate', {}, { settings })])]);
    run.tick(10);
    run.tick(0);
    expect(Object.keys(run.run().interrupts)).toEqual(['ask:1:2']);
    run.resolve('ask', { action: 'accept' });
    expect(run.status()).toBe('completed');
  });
});

describe('missing capabilities', () => {
  it('fails the node, naming what it needs', () => {
    const run = simulate([workflow('w', [node('n', 'conformance.requiresMissing')])]);
    expect(run.run().phase).toMatchObject({
      error: {
        code: 'capability_not_provided',
        message: expect.stringContaining('conformance.never-provided'),
      },
    });
  });
});

describe('events that are too large', () => {
  it('fails the run instead of storing them', () => {
    const run = simulate([workflow('w', [set('s', { a: '"0123456789"', b: 'variables.a + variables.a' })])], {
      limits: { eventBytes: 600 },
    });
    expect(run.status()).toBe('completed');
    const tooMuch = simulate(
      [
        workflow('w', [
          node('n', 'core.identity', {}, { inputs: { x: { type: 'static', value: 'x'.repeat(600) } } }),
        ]),
      ],
      {
        limits: { eventBytes: 600 },
      },
    );
    expect(tooMuch.run().phase).toMatchObject({ status: 'failed', error: { code: 'event_too_large' } });
  });
});
