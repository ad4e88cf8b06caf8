import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  hand,
  inOrder,
  look,
  node,
  remember,
  TERMINATE,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

type Config = Record<string, unknown>;

const gate = (id: string) => node(id, 'core.approvalGate', { title: 'Go on?' });
const line = (id: string, nodes: readonly Config[]) => workflow(id, nodes, { edges: inOrder(nodes) });
const letGo = (config: Config = {}) =>
  node('call', 'core.subWorkflow', { workflowId: 'child', waitForCompletion: false, ...config });

const child = line('child', [remember('note', { key: 'k', content: 'of the child' }), gate('ask')]);
const parent = (config: Config = {}) =>
  line('parent', [letGo(config), look('early'), gate('wait'), look('late')]);

const found = (run: Simulation, nodeId: string) => {
  const done = run.events().find((event) => event.type === 'node.completed' && event.nodeId === nodeId);
  const entries = done?.type === 'node.completed' ? (done.payload.outputs?.entries as { id: string }[]) : [];
  return entries.map(({ id }) => id);
};
const ends = (run: Simulation) => run.of('baton.child.ended');
const accept = (run: Simulation, nodeId: string, runId?: string) =>
  run.resolve(nodeId, { action: 'accept' }, runId === undefined ? {} : { runId });

describe('what a child remembers that no node waits for', () => {
  it('READ-38 MEM-04 comes home when the child completes, before the next read of its parent', () => {
    const run = simulate([parent(), child]);
    expect(found(run, 'early')).toEqual([]);
    accept(run, 'ask', 'root.1');
    expect(ends(run)).toMatchObject([
      { nodeId: 'call', payload: { childRunId: 'root.1', childWorkflowId: 'child', status: 'completed' } },
    ]);
    accept(run, 'wait');
    expect(found(run, 'late')).toEqual(['k']);
  });

  it('READ-38 comes home before the next turn of a supervisor', () => {
    const nodes = [letGo(), ...(boss([hand('pause'), hand('reader'), TERMINATE]).nodes as Config[])];
    const edges = [...(boss([]).edges as Config[]), { sourceNodeId: 'call', targetNodeId: 'supervisor' }];
    const run = simulate([
      workflow('parent', nodes, { edges }),
      child,
      line('pause', [gate('hold')]),
      line('reader', [look('read')]),
    ]);
    accept(run, 'ask', 'root.1');
    accept(run, 'hold', 'root.2');
    const [, second] = run
      .events()
      .filter((event) => event.type === 'node.started' && event.nodeId === 'supervisor');
    expect(second!.payload).toMatchObject({ turn: { memory: { scope: 'run:root', version: 1 } } });
    expect(run.memory('root.3')).toMatchObject([{ id: 'k' }]);
  });

  it.each([
    [
      'failed',
      line('child', [remember('note', { key: 'k', content: 'x' }), gate('ask'), node('f', 'core.fail')]),
    ],
    ['cancelled', child],
  ])('READ-38 stays away when the child %s', (status, definition) => {
    const run = simulate([parent(), definition]);
    if (status === 'cancelled') run.cancel('root.1');
    else accept(run, 'ask', 'root.1');
    expect(ends(run)).toMatchObject([{ payload: { status } }]);
    accept(run, 'wait');
    expect(found(run, 'late')).toEqual([]);
    expect(run.status()).toBe('completed');
  });

  it('READ-38 MEM-03 stays away when the child is isolated', () => {
    const run = simulate([parent({ memoryScopeIsolation: 'isolated' }), child]);
    accept(run, 'ask', 'root.1');
    accept(run, 'wait');
    expect(found(run, 'late')).toEqual([]);
  });

  it('READ-38 comes too late for a parent that has ended', () => {
    const run = simulate([line('parent', [letGo()]), child]);
    expect(run.status()).toBe('completed');
    accept(run, 'ask', 'root.1');
    expect(ends(run)).toEqual([]);
    expect(run.types().at(-1)).toBe('run.completed');
  });

  it('READ-38 comes home to a named scope that others have written to', () => {
    const run = simulate([parent(), child], { scopeId: 'desk', forgetful: true });
    accept(run, 'ask', 'root.1');
    accept(run, 'wait');
    expect(found(run, 'late')).toEqual(['k']);
  });

  it('READ-41 tells the parent that the child gave up', () => {
    const criteria = [{ key: 'done', met: false }];
    const quitter = { ...boss([{ kind: 'terminate', successCriteria: criteria }]), id: 'child' };
    const run = simulate([parent(), quitter]);
    accept(run, 'wait');
    expect(ends(run)).toMatchObject([{ payload: { goalMet: false } }]);
    expect(run.run().goal).toEqual({ met: false });
  });
});
