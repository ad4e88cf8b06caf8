import type { AuditLogReport } from '@baton/client';

interface NewestCheckpoint {
  readonly checkpoint: AuditLogReport['checkpoints'][number];
  /** Whether its signature is valid. */
  readonly isValid: boolean;
}

type ReadLog = (fromSeq: number, toSeq: number) => Promise<AuditLogReport>;

/**
 * The audit log can only be asked for ranges, and an answer has all entries of its range. So the length is found with
 * ranges of one entry, in steps that double and then halve: 2,000 checkpoints need about 20 short answers.
 */
export async function readNewestCheckpoint(readLog: ReadLog): Promise<NewestCheckpoint | null> {
  const at = async (sequence: number): Promise<NewestCheckpoint | null> => {
    const report = await readLog(sequence, sequence);
    const [checkpoint] = report.checkpoints;
    return checkpoint === undefined ? null : { checkpoint, isValid: report.checkpointsValid };
  };
  let newest = await at(1);
  if (newest === null) return null;
  let step = 1;
  for (let next = await at(1 + step); next !== null; next = await at(newest.checkpoint.atSequence + step)) {
    newest = next;
    step *= 2;
  }
  while (step > 1) {
    step /= 2;
    newest = (await at(newest.checkpoint.atSequence + step)) ?? newest;
  }
  return newest;
}
