import { expect, it } from 'vitest';
import { sampleEvents, sampleHandoff } from '../../../../../../tests/console/sample-events.ts';
import { drawnSpans, pixelOf, unitAtPixel } from './drawn-spans.ts';
import { foldEvent } from './fold.ts';
import { orderScale, timeScale } from './time-scale.ts';
import { newTree, type Tree } from './tree.ts';

function treeOf(events: readonly Parameters<typeof foldEvent>[1][]): Tree {
  const tree = newTree('r');
  for (const event of events) foldEvent(tree, event);
  return tree;
}

it('compresses an hour of waiting, keeps its true length, and leaves the rest as it was', () => {
  const tree = treeOf(sampleHandoff());
  const scale = timeScale(tree);
  const [only, ...others] = scale.breaks;
  expect(others).toEqual([]);
  expect(only?.silence).toMatchObject({ after: 14, working: false, from: tree.entries[14]?.time });
  expect((only?.silence.to ?? 0) - (only?.silence.from ?? 0)).toBe(3_600_000);
  // 700 ms of work: 600 before the question and 100 after the answer.
  expect(only?.from).toBe(600);
  expect(scale.length).toBe(700 + ((only?.to ?? 0) - (only?.from ?? 0)));
  expect(scale.length).toBeLessThan(800);
});

it('goes on to the present while a run waits, and compresses that, too', () => {
  const tree = treeOf(sampleHandoff().slice(0, 15));
  const newest = tree.entries.at(-1)?.time ?? 0;
  expect(timeScale(tree).breaks).toEqual([]);
  const scale = timeScale(tree, newest + 60_000);
  expect(scale.breaks.map(({ silence }) => silence.to - silence.from)).toEqual([60_000]);
  expect(scale.length).toBeGreaterThan(timeScale(tree).length);
});

it('finds the position of a unit again', () => {
  const tree = treeOf(sampleHandoff());
  for (const scale of [timeScale(tree), orderScale(tree)]) {
    for (const position of [6, 8, 13, 17]) {
      const entry = tree.entries[position];
      const found = entry === undefined ? -1 : scale.positionAt(scale.unitOf(entry));
      expect(tree.entries[found]?.time).toBe(entry?.time);
    }
  }
});

it('does not compress the silence of an effect that is under way', () => {
  const tree = treeOf(
    sampleEvents([
      { type: 'run.started', payload: { workflowId: 'w', workflowVersion: 1 } },
      { type: 'node.started', nodeId: 'a', payload: { typeId: 'core.agent', attempt: 1 } },
      { type: 'baton.effect.intended', nodeId: 'a', payload: { step: 1, effect: { kind: 'model.call' } } },
      { type: 'baton.effect.settled', nodeId: 'a', payload: { step: 1 }, at: 30_000 },
      { type: 'baton.effect.intended', nodeId: 'a', payload: { step: 2, effect: { kind: 'model.call' } } },
      { type: 'baton.effect.settled', nodeId: 'a', payload: { step: 2 }, at: 130_000 },
    ]),
  );
  expect(timeScale(tree).breaks.map(({ silence }) => silence.after)).toEqual([4]);
});

it('draws no more parts than there are pixels, and keeps a failure visible', () => {
  const given = [{ type: 'run.started', payload: { workflowId: 'w', workflowVersion: 1 } }];
  const rest = Array.from({ length: 5000 }, (_, index) => [
    { type: 'node.started', nodeId: `n${index}`, payload: { typeId: 'core.noop', attempt: 1 } },
    index === 2500
      ? { type: 'node.failed', nodeId: `n${index}`, payload: { error: { code: 'x', message: 'y' } } }
      : { type: 'node.completed', nodeId: `n${index}` },
  ]).flat();
  const tree = treeOf(sampleEvents([...given, ...rest]));
  const scale = orderScale(tree);
  const view = { from: 0, to: scale.length, width: 500 };
  const drawn = drawnSpans(tree.runs.get('r')?.lane.spans ?? [], tree.entries, scale, view);
  expect(drawn.length).toBeLessThan(500);
  expect(drawn.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
  expect(drawn.some(({ span }) => span.end === 'failed')).toBe(true);
  const near = { from: 5000, to: 5010, width: 500 };
  expect(drawnSpans(tree.runs.get('r')?.lane.spans ?? [], tree.entries, scale, near)).toHaveLength(6);
  expect(unitAtPixel(near, pixelOf(near, 5004))).toBeCloseTo(5004);
});
