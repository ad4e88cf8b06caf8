import { type Attestation, type JsonObject, rootRunId } from '@baton/protocol';
import { attest } from '../handoff/attestation.ts';
import type { WorkingRun } from '../working-run.ts';

/**
 * The runs of a replay have other ids than the runs that first recorded the values. If
 * the values contain such ids, their checksum differs, even when nothing else does. A replay cannot tell
 * whether the values are equal, so it accepts the checksum of its source and goes on with it.
 */

/** The attestation of values. A replay uses the checksum of its source, once it was learnt. */
export function attestHere(working: WorkingRun, values: JsonObject): Attestation {
  const own = attest(values);
  if (!holdsNames(working, values)) return own;
  const { namedChecksums } = working.tree;
  const checksum = namedChecksums.get(own.checksum) ?? own.checksum;
  namedChecksums.set(own.checksum, checksum);
  return { ...own, checksum };
}

function holdsNames({ run }: WorkingRun, values: JsonObject): boolean {
  const { fork, runId } = run;
  if (fork?.mode !== 'replay') return false;
  const text = JSON.stringify(values);
  return [runId, fork.sourceRunId, fork.origin].some((name) => text.includes(rootRunId(name)));
}

const CHECKSUM = /(?<="(?:checksum|editedChecksum)":")[0-9a-f]{64}(?=")/g;

/**
 * Learns which checksum of the source corresponds to which checksum of the replay, when two texts differ only
 * in checksums. False when they differ in anything else, or in a checksum of values without ids of runs.
 */
export function learnNamedChecksums({ tree }: WorkingRun, own: string, recorded: string): boolean {
  if (own.replace(CHECKSUM, '') !== recorded.replace(CHECKSUM, '')) return false;
  const theirs = recorded.match(CHECKSUM) ?? [];
  const learnt = new Map<string, string>();
  for (const [at, mine] of (own.match(CHECKSUM) ?? []).entries()) {
    const other = theirs[at];
    if (other === undefined || other === mine) continue;
    if (tree.namedChecksums.get(mine) !== mine) return false;
    learnt.set(mine, other);
  }
  for (const [mine, other] of learnt) tree.namedChecksums.set(mine, other);
  return learnt.size > 0;
}
