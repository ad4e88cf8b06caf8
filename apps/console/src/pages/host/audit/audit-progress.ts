import type { AuditReport } from '@baton/client';

/** What an audit has found so far. */
export interface AuditProgress {
  readonly checked: AuditReport['checked'];
  readonly findings: AuditReport['findings'];
  readonly isDone: boolean;
}

export const NOTHING_CHECKED: AuditProgress = {
  checked: {
    checkpoints: 0,
    runs: 0,
    events: 0,
    unchained: 0,
    unsigned: 0,
    purged: 0,
  },
  findings: [],
  isDone: false,
};

export function withReport(progress: AuditProgress, report: AuditReport): AuditProgress {
  const checked = { ...progress.checked };
  for (const part of Object.keys(checked) as (keyof typeof checked)[]) checked[part] += report.checked[part];
  const findings = [...progress.findings, ...report.findings];
  return { checked, findings, isDone: report.nextCursor === undefined };
}

/** "4 signed checkpoints, 16 runs and 313 events". */
export function checkedText({ checked: { checkpoints, runs, events } }: AuditProgress): string {
  return `${count(checkpoints, 'signed checkpoint')}, ${count(runs, 'run')} and ${count(events, 'event')}`;
}

/** What the audit could not check in the stored logs alone. Each is a sentence. */
export function remarks({ checked }: AuditProgress): readonly string[] {
  const all: readonly (readonly [runs: number, text: string])[] = [
    [checked.unsigned, 'Runs with events that no checkpoint has signed yet'],
    [checked.unchained, 'Runs from before this host kept hash chains, which cannot be checked'],
    [checked.purged, 'Runs whose events the retention of the host has removed'],
  ];
  return all.flatMap(([runs, text]) => (runs === 0 ? [] : [`${text}: ${runs.toLocaleString('en')}.`]));
}

function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en')} ${noun}${amount === 1 ? '' : 's'}`;
}
