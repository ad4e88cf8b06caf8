import { describe, expect, it } from 'vitest';
import { simulate } from '../../../conformance/src/testkit/simulation.ts';
import { edge, node, workflow } from '../../../conformance/src/testkit/workflows.ts';
import { advanceTree } from './advance.ts';

const WAITING = 30;
const costly = { expression: 'variables.l.exists(x, x < 0) == false' };
const ids = Array.from({ length: WAITING }, (_, n) => `w${n}`);

/** Every node has a condition that takes long to evaluate, and also waits for a person. */
const waiting = workflow(
  'w',
  [node('first', 'core.noop'), node('never', 'core.approvalGate'), ...ids.map((id) => node(id, 'core.noop'))],
  { edges: ids.flatMap((id) => [edge('first', id, { condition: costly }), edge('never', id)]) },
);
const inputs = { l: Array.from({ length: 20_000 }, (_, n) => n) };

describe('conditions before nodes that wait', () => {
  it('are judged a few at a time, so that others can have a turn', () => {
    const run = simulate([waiting], { inputs });
    const { tree } = run;
    delete tree.runs.get('root')?.searched;
    tree.agenda.push('root');
    let pauses = 0;
    const outcomes: string[] = [];
    const most = { work: 0 };
    for (let from = tree.work; outcomes.at(-1) !== 'quiet'; from = tree.work) {
      let asked = 0;
      outcomes.push(advanceTree(tree, () => ++asked > 1));
      most.work = Math.max(most.work, tree.work - from);
      pauses += 1;
      expect(pauses).toBeLessThan(100);
    }
    expect(pauses).toBeGreaterThan(WAITING / 2);
    expect(most.work).toBeLessThan(600_000);
    expect(run.status()).toBe('waiting-approval');
  });

  it('still let everything start that can', () => {
    const run = simulate([waiting], { inputs });
    run.resolve('never', { action: 'accept' });
    expect(run.status()).toBe('completed');
    expect(run.of('node.started')).toHaveLength(WAITING + 2);
  });
});
