import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  hand,
  node,
  remember,
  TERMINATE,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

/** The memory of a child with a merge gate is copied to its parent even if no output is mapped. */

type Config = Record<string, unknown>;

const writer = workflow('writer', [remember('note', { key: 'k', content: 'from the writer' })]);
const GATE = { outputAttestation: { requireApproval: true, timeoutMs: 1000 } };

const dispatching = () => {
  const parent = boss([hand('writer'), TERMINATE]) as { nodes: Config[] };
  parent.nodes[1] = { ...parent.nodes[1], settings: GATE };
  return simulate([parent, writer]);
};
const calling = () =>
  simulate([
    workflow('parent', [node('dispatch', 'core.subWorkflow', { workflowId: 'writer' }, { settings: GATE })]),
    writer,
  ]);

describe.each([
  ['dispatch', dispatching],
  ['sub-workflow', calling],
])('the memory of a gated child of a %s without a mapping', (_way, start) => {
  it.each<[string, (run: Simulation) => void]>([
    ['the approval expires', (run) => run.tick(1000)],
    ['it is rejected', (run) => run.resolve('dispatch', { action: 'reject' })],
    ['the run is cancelled', (run) => run.cancel()],
  ])('stays with the child when %s', (_why, act) => {
    verifies('ATTEST-15', 'FAIL-02');
    const run = start();
    expect(run.status()).toBe('waiting-approval');
    act(run);
    expect(run.memory('root.1')).toHaveLength(1);
    expect(run.memory()).toEqual([]);
    expect(run.types()).not.toContain('baton.memory.carried');
  });

  it('comes home when it is accepted, up to the last moment', () => {
    verifies('ATTEST-11');
    const run = start();
    run.tick(999);
    run.resolve('dispatch', { action: 'accept' });
    expect(run.memory().map(({ content }) => content)).toEqual(['from the writer']);
  });
});
