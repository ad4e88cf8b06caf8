import type { RunEvent } from '@baton/client';
import { describe, expect, it } from 'vitest';
import { alignEvents, comparablePayload, groupRows } from './align.ts';

function logOf(runId: string, ...events: readonly (readonly [type: string, payload: unknown])[]): RunEvent[] {
  return events.map(([type, payload], sequence) => {
    return { eventId: `${runId}:${sequence}`, runId, sequence, timestamp: '', type, nodeId: 'n', payload };
  }) as unknown as RunEvent[];
}

const shape = (a: readonly RunEvent[], b: readonly RunEvent[]) =>
  alignEvents(a, b).map((row) => [
    row.kind,
    'a' in row ? row.a.sequence : undefined,
    'b' in row ? row.b.sequence : undefined,
  ]);

describe('alignEvents', () => {
  it('keeps later events beside each other when one run has an event more', () => {
    const a = logOf('A', ['x', 1], ['y', 2], ['z', 3]);
    const b = logOf('B', ['branched', {}], ['x', 1], ['y', 2], ['z', 3]);
    expect(shape(a, b)).toEqual([
      ['added', undefined, 0],
      ['equal', 0, 1],
      ['equal', 1, 2],
      ['equal', 2, 3],
    ]);
  });

  it('pairs events of the same type and node whose payloads differ', () => {
    const a = logOf('A', ['x', 1], ['gone', 0], ['y', 1], ['z', 1]);
    const b = logOf('B', ['x', 2], ['y', 2], ['z', 1]);
    expect(shape(a, b)).toEqual([
      ['changed', 0, 0],
      ['removed', 1, undefined],
      ['changed', 2, 1],
      ['equal', 3, 2],
    ]);
  });

  it('does not count the ids of the two trees as differences', () => {
    const a = logOf('A1', ['x', { child: 'A1.3' }]);
    const b = logOf('B1', ['x', { child: 'B1.3' }]);
    expect(shape(a, b)).toEqual([['equal', 0, 0]]);
    const [one, other] = [a[0] as RunEvent, b[0] as RunEvent];
    expect(comparablePayload(one, ['A1', 'B1.2'])).toEqual(comparablePayload(other, ['A1', 'B1.2']));
  });

  it('works for runs with nothing in common, and for an empty one', () => {
    expect(shape(logOf('A', ['x', 1]), logOf('B', ['y', 1]))).toEqual([
      ['removed', 0, undefined],
      ['added', undefined, 0],
    ]);
    expect(shape([], logOf('B', ['y', 1]))).toEqual([['added', undefined, 0]]);
  });
});

describe('groupRows', () => {
  it('puts neighbouring equal events into one group', () => {
    const a = logOf('A', ['x', 1], ['y', 1], ['c', 1], ['z', 1]);
    const b = logOf('B', ['x', 1], ['y', 1], ['c', 2], ['z', 1]);
    expect(
      groupRows(alignEvents(a, b)).map((group) => (group.kind === 'equal' ? group.rows.length : 'row')),
    ).toEqual([2, 'row', 1]);
  });
});
