import type { RunState } from '@baton/client';
import { describe, expect, it } from 'vitest';
import { changedText, filterEntries, stateSections } from './state-entries.ts';

function stateOf(part: Partial<RunState>): RunState {
  return {
    runId: 'r',
    at: 1,
    status: 'running',
    iteration: 0,
    variables: {},
    channels: {},
    nodeStates: {},
    memory: { entries: [] },
    ...part,
  };
}

describe('stateSections', () => {
  it('marks what was added, changed and removed, with the value before', () => {
    const before = stateOf({ variables: { kept: { a: 1 }, moved: 1, gone: 'x' } });
    const after = stateOf({ variables: { kept: { a: 1 }, moved: 2, fresh: null } });
    expect(stateSections(before, after).variables).toEqual([
      { name: 'kept', value: { a: 1 } },
      { name: 'moved', value: 2, before: 1, change: 'changed' },
      { name: 'fresh', value: null, change: 'added' },
      { name: 'gone', before: 'x', change: 'removed' },
    ]);
  });

  it('compares entries of memory by their ids', () => {
    const entry = { id: 'm1', content: 'a', tags: [] };
    const before = stateOf({ memory: { entries: [entry] } });
    const after = stateOf({ memory: { entries: [{ ...entry, id: 'm0' }, entry] } });
    expect(stateSections(before, after).memory).toEqual([
      { name: 'm0', value: { content: 'a', tags: [] }, change: 'added' },
      { name: 'm1', value: { content: 'a', tags: [] } },
    ]);
  });

  it('marks nothing when the state before is not known', () => {
    const { nodes } = stateSections(undefined, stateOf({ nodeStates: { n: { status: 'running' } } }));
    expect(nodes).toEqual([{ name: 'n', value: { status: 'running' } }]);
  });
});

describe('filterEntries', () => {
  const entries = [
    { name: 'Topic', value: 'owls' },
    { name: 'count', value: 3, before: 2, change: 'changed' },
    { name: 'gone', before: 'Owls', change: 'removed' },
  ] as const;

  it('finds names and values, also those of removed entries, in any case', () => {
    expect(filterEntries(entries, { text: ' OWLS', onlyChanged: false }).map(({ name }) => name)).toEqual([
      'Topic',
      'gone',
    ]);
    expect(filterEntries(entries, { text: 'topic', onlyChanged: false })).toHaveLength(1);
  });

  it('leaves out what did not change', () => {
    expect(filterEntries(entries, { text: '', onlyChanged: true })).toHaveLength(2);
  });
});

describe('changedText', () => {
  it('counts the changes of each section', () => {
    const before = stateOf({ variables: { a: 1, b: 1 } });
    const after = stateOf({ variables: { a: 2, b: 2 }, nodeStates: { n: {} } });
    expect(changedText(stateSections(before, after))).toBe('2 variables and 1 node');
    expect(changedText(stateSections(after, after))).toBeUndefined();
  });
});
