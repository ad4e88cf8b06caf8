import { describe, expect, it } from 'vitest';
import { checksumOf } from '../../../checksum/checksum.ts';
import type { MergeView } from './merge-view.ts';
import { verifyMerge } from './verify-merge.ts';

const AT = { sequence: 1, at: '2026-01-01T00:00:00Z' };
const OUTPUTS = { text: 'hello', n: -0 };
const MAPPING = { report: 'text', count: 'n' };
const NO_IDS = { formerIds: [] };

function mergeOf(part: Partial<MergeView> = {}): MergeView {
  return {
    nodeId: 'n',
    workerId: 'w',
    childRunId: 'R.1',
    attempt: 1,
    handedOver: AT,
    gated: true,
    checksums: [checksumOf(OUTPUTS)],
    values: [{ ...AT, name: 'report', next: 'hello' }],
    ...part,
  };
}

describe('verifyMerge', () => {
  it('finds the recorded checksum again in the mapped values of the child', () => {
    const child = { ...OUTPUTS, scratch: 'not handed over' };
    const { agreement, checks } = verifyMerge(mergeOf(), { child, mapping: MAPPING, ...NO_IDS });
    expect(agreement).toBe('equal');
    expect(checks.map(({ agreement: one }) => one)).toEqual(['equal', 'equal']);
  });

  it('covers all variables where the node has no mapping', () => {
    const merge = mergeOf({ values: [] });
    expect(verifyMerge(merge, { child: OUTPUTS, mapping: {}, ...NO_IDS }).agreement).toBe('equal');
    expect(verifyMerge(merge, { child: { ...OUTPUTS, x: 1 }, mapping: {}, ...NO_IDS }).agreement).toBe(
      'different',
    );
  });

  it('finds a changed value of the child, and each of several checksums', () => {
    const evidence = { child: { ...OUTPUTS, text: 'hellO' }, mapping: MAPPING, ...NO_IDS };
    expect(verifyMerge(mergeOf(), evidence).checks.map(({ agreement }) => agreement)).toEqual([
      'different',
      'different',
    ]);
    const two = mergeOf({ checksums: [checksumOf(OUTPUTS), 'f00'], values: [] });
    const given = { child: OUTPUTS, mapping: MAPPING, ...NO_IDS };
    expect(verifyMerge(two, given).checks.map(({ agreement }) => agreement)).toEqual(['equal', 'different']);
  });

  it('compares an edit with its checksum and with the merged values', () => {
    const edited = { text: 'edited' };
    const values = [{ ...AT, name: 'report', next: 'edited' }];
    const evidence = { child: OUTPUTS, mapping: MAPPING, ...NO_IDS };
    const good = mergeOf({ edited, editedChecksum: checksumOf(edited), values });
    expect(verifyMerge(good, evidence).agreement).toBe('equal');
    expect(verifyMerge({ ...good, editedChecksum: 'f00' }, evidence).agreement).toBe('different');
    expect(
      verifyMerge({ ...good, values: [{ ...AT, name: 'report', next: 'hello' }] }, evidence).agreement,
    ).toBe('different');
  });

  it('puts back the ids that the runs had when the checksum was made', () => {
    const merge = mergeOf({ checksums: [checksumOf({ text: 'see old.3' })], values: [] });
    const evidence = { child: { text: 'see new.3' }, mapping: { report: 'text' } };
    expect(verifyMerge(merge, { ...evidence, formerIds: [['new', 'old']] }).agreement).toBe('equal');
    expect(verifyMerge(merge, { ...evidence, formerIds: [] }).agreement).toBe('different');
  });

  it('says that it does not know where values are hidden, gone or not named', () => {
    const hidden = { child: { ...OUTPUTS, text: '[REDACTED]' }, mapping: MAPPING, ...NO_IDS };
    expect(verifyMerge(mergeOf({ values: [] }), hidden).agreement).toBe('unknown');
    expect(verifyMerge(mergeOf(), { mapping: MAPPING, ...NO_IDS }).agreement).toBe('unknown');
    expect(verifyMerge(mergeOf({ values: [] }), { child: OUTPUTS, ...NO_IDS }).agreement).toBe('unknown');
    expect(verifyMerge(mergeOf({ checksums: [], values: [] }), { child: OUTPUTS, ...NO_IDS }).checks).toEqual(
      [],
    );
  });

  it('without the definition takes the names that a person was asked about, or that were merged', () => {
    const asked = mergeOf({ artifact: OUTPUTS, values: [] });
    expect(verifyMerge(asked, { child: OUTPUTS, ...NO_IDS }).agreement).toBe('equal');
    expect(verifyMerge(mergeOf(), { child: OUTPUTS, likelyMapping: MAPPING, ...NO_IDS }).agreement).toBe(
      'equal',
    );
    const partly = verifyMerge(mergeOf(), { child: OUTPUTS, likelyMapping: { report: 'text' }, ...NO_IDS });
    expect(partly.checks.map(({ agreement }) => agreement)).toEqual(['unknown', 'equal']);
  });
});
