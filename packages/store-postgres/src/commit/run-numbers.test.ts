import { describe, expect, it } from 'vitest';
import type { Queries } from '../database/database.ts';
import { runNumbers } from './run-numbers.ts';

/** A table of three runs, and the ids that were asked for. */
function storedRuns() {
  const stored = [
    { runId: 'a', runNo: 1, tenant: 'acme' },
    { runId: 'b', runNo: 2, tenant: 'other' },
    { runId: 'c', runNo: 3, tenant: 'acme' },
  ];
  const asked: (readonly string[])[] = [];
  const rows = async (_sql: string, ids: readonly string[]) => {
    asked.push(ids);
    return stored.filter(({ runId }) => ids.includes(runId));
  };
  return { queries: { rows } as unknown as Queries, asked };
}

describe('run numbers', () => {
  it('are asked for together, and once', async () => {
    const { queries, asked } = storedRuns();
    const numbers = runNumbers();
    const expected = new Map([
      ['a', { runNo: 1, tenant: 'acme' }],
      ['b', { runNo: 2, tenant: 'other' }],
    ]);
    expect(await numbers.find(queries, ['b', 'a', 'nobody'])).toEqual(expected);
    expect(await numbers.find(queries, ['a', 'b'])).toEqual(expected);
    expect(asked).toEqual([['b', 'a', 'nobody']]);
  });

  it('are not asked for when they were told', async () => {
    const { queries, asked } = storedRuns();
    const numbers = runNumbers();
    numbers.add('new', { runNo: 9, tenant: 'acme' });
    expect((await numbers.find(queries, ['new'])).get('new')?.runNo).toBe(9);
    expect(asked).toEqual([]);
  });

  it('are found also if there are more of them than are remembered', async () => {
    const { queries, asked } = storedRuns();
    const numbers = runNumbers(2);
    await numbers.find(queries, ['a']);
    expect((await numbers.find(queries, ['a', 'b', 'c'])).size).toBe(3);
    await numbers.find(queries, ['b', 'c']);
    await numbers.find(queries, ['a']);
    expect(asked).toEqual([['a'], ['b', 'c'], ['a']]);
  });

  it('are forgotten, one or all', async () => {
    const { queries, asked } = storedRuns();
    const numbers = runNumbers();
    await numbers.find(queries, ['a']);
    numbers.forget('a');
    await numbers.find(queries, ['a']);
    numbers.clear();
    await numbers.find(queries, ['a']);
    expect(asked).toHaveLength(3);
  });
});
