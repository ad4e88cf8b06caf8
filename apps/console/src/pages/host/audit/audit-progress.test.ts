import type { AuditReport } from '@baton/client';
import { expect, it } from 'vitest';
import { checkedText, NOTHING_CHECKED, remarks, withReport } from './audit-progress.ts';

const finding = {
  what: 'event-changed' as const,
  runId: 'r',
  from: 2,
  to: 2,
  message: 'Event 2 was changed.',
};

function report(counts: Partial<AuditReport['checked']>, others: Partial<AuditReport> = {}): AuditReport {
  const { checked } = NOTHING_CHECKED;
  return { ok: true, findings: [], checked: { ...checked, ...counts }, keyId: 'k', ...others };
}

it('adds up the reports of an audit, until the last one', () => {
  const first = withReport(
    NOTHING_CHECKED,
    report({ checkpoints: 4 }, { nextCursor: 'c', findings: [finding] }),
  );
  expect(first).toMatchObject({ isDone: false, findings: [finding] });
  const second = withReport(first, report({ runs: 1, events: 1313, unsigned: 1, purged: 1200 }));
  expect(second).toMatchObject({ isDone: true, findings: [finding] });
  expect(checkedText(second)).toBe('4 signed checkpoints, 1 run and 1,313 events');
  expect(remarks(second)).toEqual([
    'Runs with events that no checkpoint has signed yet: 1.',
    'Runs whose events the retention of the host has removed: 1,200.',
  ]);
  expect(remarks(NOTHING_CHECKED)).toEqual([]);
});
