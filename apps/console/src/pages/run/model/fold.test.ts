import { expect, it } from 'vitest';
import { sampleEvents, sampleHandoff } from '../../../../../../tests/console/sample-events.ts';
import { begunCount, nodeAt, positionOf, sequenceAt, totalsAt, valueAt } from './at.ts';
import { litBy } from './causes.ts';
import { foldEvent } from './fold.ts';
import { lanesInOrder } from './runs.ts';
import { newTree, type Tree } from './tree.ts';

function treeOf(events: Parameters<typeof foldEvent>[1][]): Tree {
  const tree = newTree('r');
  for (const event of events) foldEvent(tree, event);
  return tree;
}

const handoff = (): Tree => treeOf([...sampleHandoff()]);

it('gives each run and each agent a lane, below the run that started it', () => {
  const lanes = lanesInOrder(handoff()).map(({ name, depth }) => `${depth} ${name}`);
  expect(lanes).toEqual(['0 desk', '1 lead', '1 writer', '1 critic']);
});

it('knows the status of a run and the states of its nodes at every position', () => {
  const tree = handoff();
  const root = tree.runs.get('r');
  const out = root?.nodes.get('out');
  expect(nodeAt(out, 3)).toBeUndefined();
  expect(nodeAt(out, 4)?.state).toBe('running');
  expect(nodeAt(out, 14)).toMatchObject({ state: 'waiting', text: 'Approval: Take it?' });
  expect(nodeAt(out, 15)?.state).toBe('running');
  expect(nodeAt(out, 99)?.state).toBe('completed');
  expect([4, 14, 15, 18].map((at) => valueAt(root?.status ?? [], at))).toEqual([
    'running',
    'waiting-approval',
    'running',
    'completed',
  ]);
});

it('draws handoffs, critics, returns and merges as arrows between lanes', () => {
  const arrows = handoff().arrows.map(({ kind, at, from, to }) => `${at} ${kind} ${from.name}>${to.name}`);
  expect(arrows).toEqual([
    '7 handoff desk>writer',
    '10 return writer>desk',
    '12 critic desk>critic',
    '13 return critic>desk',
    '16 merge writer>desk',
  ]);
});

it('keeps a wait as a span with its reason, and ends every span', () => {
  const tree = handoff();
  const spans = tree.runs.get('r')?.lane.spans ?? [];
  expect(spans.map(({ kind, from, to, text }) => [kind, from, to, text])).toEqual([
    ['node', 4, 17, 'out'],
    ['wait', 14, 15, 'Approval: Take it?'],
  ]);
  expect(tree.runs.get('r')?.agentLanes[0]?.spans[0]).toMatchObject({
    kind: 'turn',
    text: 'Turn 1: hands to writer',
    to: 3,
  });
  expect(tree.open.size).toBe(0);
});

it('finds the causes and effects of an event across runs', () => {
  const tree = handoff();
  // The child began because the dispatch began, because the supervisor decided.
  expect([...litBy(tree, 7).causes].sort((a, b) => a - b)).toEqual([1, 2, 5]);
  expect([...litBy(tree, 5).effects]).toEqual([6, 7]);
  // That a child completed was caused by its last event, too.
  expect(tree.entries[11]?.causes).toEqual([6, 10]);
  // An answer was caused by its question.
  expect(tree.entries[15]?.causes).toEqual([14]);
  // A run ended because of its last step.
  expect(tree.entries[10]?.causes).toEqual([9]);
});

it('finds sequences and positions of each run in both directions', () => {
  const tree = handoff();
  const [root, child] = [tree.runs.get('r'), tree.runs.get('r.1')];
  expect(root && sequenceAt(root, 9)).toBe(6);
  expect(child && sequenceAt(child, 6)).toBeUndefined();
  expect(child && sequenceAt(child, 9)).toBe(2);
  expect(positionOf(child, 2)).toBe(9);
  expect(begunCount(root?.children ?? [], 11)).toBe(1);
  expect(begunCount(root?.children ?? [], 12)).toBe(2);
});

it('leaves out an event that is there already', () => {
  const tree = handoff();
  for (const event of sampleHandoff()) foldEvent(tree, event);
  expect(tree.entries).toHaveLength(19);
});

it('stops what was under way when a run fails, and draws nodes that work at the same time in rows', () => {
  const start = (nodeId: string) =>
    ({ type: 'node.started', nodeId, payload: { typeId: 'core.delay', attempt: 1 } }) as const;
  const tree = treeOf([
    ...sampleEvents([
      { type: 'run.started', payload: { workflowId: 'w', workflowVersion: 1 } },
      start('a'),
      start('b'),
      { type: 'baton.effect.intended', nodeId: 'b', payload: { step: 1, effect: { kind: 'model.call' } } },
      { type: 'node.failed', nodeId: 'a', payload: { error: { code: 'x', message: 'y' } } },
      { type: 'run.failed', payload: { error: { code: 'x', message: 'y' } } },
    ]),
  ]);
  const run = tree.runs.get('r');
  expect(run?.lane.spans.map(({ text, row, end }) => [text, row, end])).toEqual([
    ['a', 0, 'failed'],
    ['b', 1, 'cancelled'],
    ['model.call', 0, 'cancelled'],
  ]);
  expect(nodeAt(run?.nodes.get('b'), 5)?.state).toBe('cancelled');
  expect(tree.underWay.size).toBe(0);
});

it('adds up what all runs used, up to each position', () => {
  const usage = (inputTokens: number, costEstimateUsd: number) =>
    ({
      type: 'provider.usage',
      payload: { provider: 'p', model: 'm', inputTokens, outputTokens: 1, costEstimateUsd },
    }) as const;
  const tree = treeOf([
    ...sampleEvents([
      { type: 'run.started', payload: { workflowId: 'w', workflowVersion: 1 } },
      usage(10, 0.5),
      { type: 'agent.toolCalled', payload: { agentId: 'a', toolName: 't', callId: '1' } },
      usage(5, 0.25),
    ]),
  ]);
  expect(totalsAt(tree, 0)).toMatchObject({ inputTokens: 0, toolCalls: 0 });
  expect(totalsAt(tree, 3)).toEqual({
    inputTokens: 15,
    outputTokens: 2,
    toolCalls: 1,
    turns: 0,
    costUsd: 0.75,
  });
});
