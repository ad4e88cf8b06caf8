import type { RunDiff } from '@baton/client';
import { expect, it } from 'vitest';
import { paintFor } from '../output/output.ts';
import { diffText } from './compare-runs.ts';

it('shows the members in which two events differ, however long the others are', () => {
  const same = 'x'.repeat(400);
  const event = (end: string) => ({
    type: 'node.completed',
    nodeId: 'n',
    payload: { first: same, outputs: { same, text: `${same}${end}` } },
  });
  const diff = {
    a: 'a',
    b: 'b',
    divergedAtSeq: 3,
    eventDiffs: [{ seq: 3, aEvent: event('owls'), bEvent: event('tides') }],
    truncated: false,
  } as unknown as RunDiff;
  const [, , , before, after] = diffText(diff, paintFor(false)).split('\n');
  const start = '"…xxxxxxxxxxxxxxxxxxxx';
  expect(before).toBe(`-    3 node.completed n {"outputs":{"text":${start}owls"}}`);
  expect(after).toBe(`+    3 node.completed n {"outputs":{"text":${start}tides"}}`);
});
