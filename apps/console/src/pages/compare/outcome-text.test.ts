import { describe, expect, it } from 'vitest';
import { outcomeText } from './outcome-text.ts';
import type { Comparison } from './read-comparison.ts';

function textOf(divergedAtSeq: number | null, truncated = false, kinds: readonly string[] = []): string {
  const run = { lastSequence: 31 };
  const rows = kinds.map((kind) => ({ kind }));
  return outcomeText({ a: run, b: run, diff: { divergedAtSeq, truncated }, rows } as unknown as Comparison);
}

describe('outcomeText', () => {
  it('says how many events of equal runs were compared, and whether they have ended', () => {
    expect(textOf(null)).toMatch(/^Equal: 32 events were compared/);
    expect(textOf(null, true)).toMatch(/^Equal so far: 32 events/);
  });

  it('says where the runs part and what is different from there', () => {
    expect(textOf(21, false, ['changed', 'equal', 'added', 'removed', 'added'])).toBe(
      'The runs are equal up to event 20 and part at event 21. From there: 1 different, 1 only in A, 2 only in B.',
    );
    expect(textOf(0)).toBe('The runs have no beginning in common.');
  });
});
