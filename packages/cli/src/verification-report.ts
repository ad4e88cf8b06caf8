import type { AuditedMerge, VouchedVariable } from '@baton/engine';
import { columns } from './columns.ts';

/** One line for each merged value, and one for each child whose outputs were not merged. */
export function verificationReport(merges: readonly AuditedMerge[]): string {
  return columns([
    ['', 'VARIABLE', 'WORKER', 'CHILD RUN', 'CHECKSUM', 'CRITIC', 'APPROVED BY', 'OUTCOME'],
    ...merges.flatMap((merge) =>
      merge.variables.length === 0
        ? [line(merge, undefined)]
        : merge.variables.map((variable) => line(merge, variable)),
    ),
  ]);
}

const SHORT = 12;

function line(merge: AuditedMerge, variable: VouchedVariable | undefined): readonly string[] {
  const { workerId, childRunId, editedChecksum, checksum, verdict, approvedBy } = merge;
  return [
    mark(merge, variable),
    variable?.name ?? '-',
    workerId,
    childRunId,
    (editedChecksum ?? checksum ?? '-').slice(0, SHORT),
    verdict ? `${verdict.verdict} (${verdict.agentId})` : '-',
    approvedBy.join(', ') || '-',
    outcome(merge, variable),
  ];
}

/** ✗: a checksum or value does not agree with the logs. ·: there is nothing to compare. ✓: all agree. */
function mark({ matches, remote }: AuditedMerge, variable: VouchedVariable | undefined): string {
  if (matches === false || variable?.matches === false || remote?.matches === false) return '✗';
  return matches === undefined && variable === undefined ? '·' : '✓';
}

const NOT_MERGED: Partial<Record<AuditedMerge['why'], string>> = {
  revised: 'sent back by the critic',
  undecided: 'not decided',
  'verdict-failed': 'refused by the critic',
  stopped: 'the run was stopped at the gate',
  rejected: 'rejected',
  expired: 'approval expired',
};

const MERGED: Partial<Record<AuditedMerge['why'], string>> = {
  approved: 'merged as approved',
  edited: 'merged as edited',
};

function outcome({ merged, why, remote }: AuditedMerge, variable: VouchedVariable | undefined): string {
  const elsewhere = remote === undefined ? '' : `, ${signed(remote)}`;
  if (!merged) return `${NOT_MERGED[why] ?? why}${elsewhere}`;
  const replaced = variable?.current === false ? ', replaced since' : '';
  return `${MERGED[why] ?? 'merged'}${replaced}${elsewhere}`;
}

type Remote = NonNullable<AuditedMerge['remote']>;

function signed({ hostId, runId, signature, matches }: Remote): string {
  const run = `run ${runId} of ${hostId}`;
  if (signature === 'key-unknown') return `${run}, whose audit key is not registered here`;
  if (signature === 'invalid') return `${run}, whose signature is not valid`;
  return matches === false ? `${run} signed other outputs` : `signed by ${hostId} for ${run}`;
}
