import type { AuditCounts, Finding } from '@baton/engine';
import { columns } from './columns.ts';

/** A store with many changes has many findings. The first ones are enough. */
const SHOWN = 100;

/** One line for each finding. */
export function findingsReport(findings: readonly Finding[]): string {
  const lines = findings
    .slice(0, SHOWN)
    .map((finding) => ['✗', finding.what, placeOf(finding), finding.message]);
  const more = findings.length > SHOWN ? `\n… and ${findings.length - SHOWN} more` : '';
  return `${columns([['', 'FINDING', 'WHERE', ''], ...lines])}${more}`;
}

function placeOf({ runId, from, to, checkpoint }: Finding): string {
  if (checkpoint !== undefined) return `checkpoint ${checkpoint}`;
  if (from === undefined) return runId ?? '';
  return from === to ? `${runId} ${from}` : `${runId} ${from}–${to}`;
}

export function chainSummary(findings: readonly Finding[], checked: AuditCounts): string {
  const { checkpoints, runs, events } = checked;
  const what = `${count(events, 'event')} of ${count(runs, 'run')}, ${count(checkpoints, 'signed checkpoint')}`;
  if (findings.length > 0)
    return `Checked ${what}: the stored logs were changed after they were written. Compare them with a backup.`;
  return `Checked ${what}: all are unchanged${besides(checked)}.`;
}

function besides({ unchained, unsigned, purged }: AuditCounts): string {
  const notes = [
    unsigned > 0 ? `${count(unsigned, 'run')} with events that are not signed yet` : '',
    unchained > 0 ? `${count(unchained, 'run')} without a hash chain` : '',
    purged > 0 ? `${count(purged, 'run')} removed by retention` : '',
  ].filter((note) => note !== '');
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
