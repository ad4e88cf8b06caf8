import type { AuditCounts, Finding } from '@baton/engine';
import { columns } from './columns.ts';

/** Of a store that was changed all over, the first ones are enough. */
const SHOWN = 100;

/** One line for each thing that is not as it was written. */
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
    return `Checked ${what}: the stored logs are not what was written. Compare them with a backup.`;
  return `Checked ${what}: all as it was written${besides(checked)}.`;
}

function besides({ unchained, unsigned, purged, imported, unvouched }: AuditCounts): string {
  const notes = [
    unsigned > 0 ? `${unsigned} not signed to the end yet` : '',
    unchained > 0 ? `${unchained} from before there were chains` : '',
    purged > 0 ? `${purged} no longer kept` : '',
    imported > 0 ? `${imported} imported, ${unvouched} of them vouched for by nobody` : '',
  ].filter((note) => note !== '');
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
