import type { RunSummary } from '@baton/client';
import { expect, it } from 'vitest';
import { conversationsOf, saidText } from './conversations.ts';

function run(runId: string, second: number, ...tags: readonly string[]): RunSummary {
  const at = new Date(second * 1000).toISOString();
  return { runId, workflowId: 'agent:a', status: 'completed', createdAt: at, updatedAt: at, tags: [...tags] };
}

it('gathers the runs of each conversation, the newest conversation first', () => {
  const runs = [
    run('d', 40, 'conversation:one'),
    run('c', 30),
    run('b', 20, 'urgent', 'conversation:two'),
    run('a', 10, 'conversation:one'),
  ];
  expect(conversationsOf(runs).map(({ id, runs: own }) => [id, own.map(({ runId }) => runId)])).toEqual([
    ['one', ['a', 'd']],
    ['two', ['b']],
  ]);
  expect(conversationsOf([])).toEqual([]);
});

it.each([
  ['as it is', 'as it is'],
  [{ a: 1 }, '{\n  "a": 1\n}'],
  [undefined, ''],
])('says %j as %j', (value, text) => {
  expect(saidText(value)).toBe(text);
});
