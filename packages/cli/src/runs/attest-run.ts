import type { RunAttestations } from '@baton/client';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { withKnownRun } from './known-names.ts';

/** `baton attest`: what was merged into a run and why, and whether the logs still match the checksums. */
export async function attestRun(session: Session, runId: string): Promise<ExitCode> {
  const { baton, out } = session;
  const answer = await withKnownRun(session, runId, (id) => baton.run(id).attestations());
  out.give(answer, answer.attestations.length === 0 ? '' : table(answer));
  if (answer.attestations.length === 0) out.note('Nothing passed a merge gate of this run.');
  else if (answer.allMatch) out.note('Every checksum agrees with the logs.');
  else out.note('At least one checksum does not agree with the logs. "baton verify" names the events.');
  return answer.allMatch ? EXIT.done : EXIT.failed;
}

function table({ attestations }: RunAttestations): string {
  return columns([
    ['', 'VARIABLES', 'WORKER', 'CHILD RUN', 'CHECKSUM', 'CRITIC', 'APPROVED BY', 'OUTCOME'],
    ...attestations.map((merge) => [
      merge.matches === false || merge.variables.some((variable) => !variable.matches) ? '✗' : '✓',
      merge.variables.map((variable) => variable.name).join(', ') || '-',
      merge.workerId,
      merge.childRunId,
      (merge.editedChecksum ?? merge.checksum)?.slice(0, 12) ?? '-',
      merge.verdict?.verdict ?? '-',
      merge.approvedBy.join(', ') || '-',
      merge.merged ? `merged: ${merge.why}` : merge.why,
    ]),
  ]);
}
