import { sizeOfJson } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../conformance/src/testkit/simulation.ts';
import { edge, node, workflow } from '../../../conformance/src/testkit/workflows.ts';
import { evolve } from './fold/evolve.ts';
import type { Run } from './run.ts';

const set = (id: string, assign: Record<string, string>) => node(id, 'vendor.baton.set', { assign });
const chain = (nodes: readonly ReturnType<typeof node>[]) =>
  workflow('w', nodes, {
    edges: nodes.slice(1).map(({ id }, at) => edge(nodes[at]!.id as string, id as string)),
  });
const doubling = chain(
  ['a', 'b', 'c', 'd'].map((id, at) => set(id, { [`v${at}`]: 'variables.text + variables.text' })),
);
const text = 'x'.repeat(1000);
const error = (run: Simulation) => (run.run().phase as { error?: object }).error;

describe('what a run holds', () => {
  it('is counted as it changes, and comes to what it is', () => {
    const run = simulate(
      [
        chain([
          set('a', { x: '"hello"', y: '[1, 2, 3]' }),
          set('b', { x: '"a longer text than before"' }),
          node('c', 'core.channelWrite', { channelName: 'log', reducer: 'append', value: { n: 1 } }),
          node('d', 'core.channelWrite', { channelName: 'log', reducer: 'append', value: { n: 2 } }),
          node('e', 'core.channelWrite', { channelName: 'best', reducer: 'merge', value: { k: 'v' } }),
        ]),
      ],
      { inputs: { text } },
    );
    const { size, variables, nodes } = run.run();
    const outputs = Object.values(nodes).map((state) =>
      state.status === 'completed' ? sizeOfJson(state.outputs) : 0,
    );
    const counted = sizeOfJson(variables) + outputs.reduce((sum, one) => sum + one, 0);
    expect(size.variables).toBe(Object.keys(variables).length);
    expect(Math.abs(size.characters - counted)).toBeLessThan(100);
  });

  it('may not be more than the limit on its state', () => {
    const run = simulate([doubling], { inputs: { text }, limits: { stateCharacters: 8000 } });
    expect(error(run)).toMatchObject({ code: 'state_too_large', details: { limit: 8000 } });
    expect(simulate([doubling], { inputs: { text }, limits: { stateCharacters: 80_000 } }).status()).toBe(
      'completed',
    );
  });

  it('may not be more variables than the limit', () => {
    const run = simulate([doubling], { inputs: { text }, limits: { variables: 3 } });
    expect(error(run)).toMatchObject({
      code: 'state_too_large',
      message: expect.stringContaining('4 variables'),
    });
  });

  it('is bounded as it was when the run began', () => {
    const run = simulate([doubling], { inputs: { text } });
    expect(run.events()[0]?.payload).toMatchObject({
      limits: {
        expressionSteps: 500_000,
        stateCharacters: 4_194_304,
        variables: 5000,
        logEvents: 2_000_000,
        treeRuns: 1000,
      },
    });
  });
});

describe('folding changes of variables', () => {
  const change = (sequence: number, name: string) =>
    ({
      eventId: `r:${sequence}`,
      runId: 'r',
      sequence,
      timestamp: 't',
      type: 'variable.changed',
      payload: { name, next: 1, nodeId: 'n' },
    }) as never;
  const begun = () => simulate([workflow('w', [node('gate', 'core.approvalGate')])]).run();

  it('copies them once for a batch that nobody looks into, and never touches what was there', () => {
    const before: Run = begun();
    const kept = JSON.stringify(before);
    const own = {};
    const first = evolve(before, change(before.head, 'a'), 1, own);
    const copied = first.variables;
    const second = evolve(first, change(first.head, 'b'), 1, own);
    expect(second.variables).toBe(copied);
    expect(second.variables).toMatchObject({ a: 1, b: 1 });
    expect(JSON.stringify(before)).toBe(kept);
  });

  it('copies them for each change otherwise', () => {
    const before: Run = begun();
    const first = evolve(before, change(before.head, 'a'), 1);
    const second = evolve(first, change(first.head, 'b'), 1);
    expect(first.variables).not.toHaveProperty('b');
    expect(second.variables).toMatchObject({ a: 1, b: 1 });
  });

  it('leaves nothing behind of a batch that did not fit into the log', () => {
    const large = set('s', { a: '"small"', b: 'variables.text + variables.text + variables.text' });
    const run = simulate([chain([large])], { inputs: { text }, limits: { eventBytes: 2600 } });
    expect(error(run)).toMatchObject({ code: 'event_too_large' });
    expect(run.run().variables).toEqual({ text });
  });
});
