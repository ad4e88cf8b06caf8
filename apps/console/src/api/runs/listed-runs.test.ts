import { describe, expect, it } from 'vitest';
import type { RunFilters } from './filters.ts';
import { type ListedRuns, rowsOf, withChanges } from './listed-runs.ts';
import type { RunRow } from './run-row.ts';

function run(runId: string, second: number, facts: Partial<RunRow> = {}): RunRow {
  const createdAt = `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
  return { runId, workflowId: 'w', status: 'running', createdAt, updatedAt: createdAt, ...facts };
}

function list(...pages: readonly (readonly RunRow[])[]): ListedRuns {
  return {
    pages: pages.map((runs, index) => ({
      runs,
      ...(index < pages.length - 1 && { nextCursor: String(index) }),
    })),
    pageParams: pages.map(() => undefined),
  };
}

function changed(data: ListedRuns, runs: readonly RunRow[], filters: RunFilters = { roots: true }) {
  const after = withChanges(data, new Map(runs.map((one) => [one.runId, one])), filters);
  return { ids: rowsOf(after.data).map(({ runId }) => runId), ...after };
}

const three = list([run('c', 3), run('b', 2)], [run('a', 1)]);

describe('a list of runs', () => {
  it('shows the new state of a run and keeps the other pages', () => {
    const { data } = changed(three, [run('a', 1, { status: 'completed' })]);
    expect(rowsOf(data).map(({ status }) => status)).toEqual(['running', 'running', 'completed']);
    expect(data.pages[0]).toBe(three.pages[0]);
  });

  it('gets new runs at its beginning, newest first', () => {
    expect(changed(three, [run('d', 4), run('e', 5)]).ids).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  it('is filled when it was empty', () => {
    expect(changed(list([]), [run('a', 1)]).ids).toEqual(['a']);
  });

  it('loses a run that no longer fits the filter', () => {
    const filters: RunFilters = { roots: true, statuses: ['running'] };
    expect(changed(three, [run('b', 2, { status: 'failed' })], filters).ids).toEqual(['c', 'a']);
  });

  it('gets an older run that fits now at its place', () => {
    const waiting = list([run('d', 4), run('a', 1)]);
    expect(changed(waiting, [run('b', 2)], { roots: true, statuses: ['running'] }).ids).toEqual([
      'd',
      'b',
      'a',
    ]);
  });

  it('leaves an older run to the next page', () => {
    const { pages, pageParams } = list([run('c', 3)], []);
    const first: ListedRuns = { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
    expect(changed(first, [run('a', 1)]).ids).toEqual(['c']);
  });

  it.each([
    ['a child run', run('x', 9, { parentRunId: 'a' }), { roots: true }],
    ['a run of another workflow', run('x', 9), { roots: false, workflowId: 'other' }],
    ['a run with another status', run('x', 9), { roots: false, statuses: ['failed'] }],
  ] as const)('does not get %s', (_, other, filters) => {
    expect(changed(three, [other], filters)).toMatchObject({ ids: ['c', 'b', 'a'], mustAsk: false });
  });

  it('asks the host whether a new run fits a search', () => {
    expect(changed(three, [run('x', 9)], { roots: true, q: 'x' })).toMatchObject({
      ids: ['c', 'b', 'a'],
      mustAsk: true,
    });
    expect(changed(three, [run('b', 2, { turn: 4 })], { roots: true, q: 'x' })).toMatchObject({
      mustAsk: false,
    });
  });

  it('shows a run once that two pages have', () => {
    expect(rowsOf(list([run('b', 2)], [run('b', 2), run('a', 1)])).map(({ runId }) => runId)).toEqual([
      'b',
      'a',
    ]);
  });
});
