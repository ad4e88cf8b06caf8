import { type Attestation, type JsonObject, rootRunId } from '@baton/protocol';
import { attest } from '../handoff/attestation.ts';
import type { Turn } from '../turn.ts';

/**
 * The runs of a replay, and of a tree that was imported, have other names than the runs that values were first told by.
 * A checksum of values that hold such names is therefore another one, whether or not the values are the same. That is no
 * difference that a replay could tell, so it goes on with the checksum of its source.
 */

/** The attestation of values; in a replay with the checksum of its source where that was learnt. */
export function attestHere(turn: Turn, values: JsonObject): Attestation {
  const own = attest(values);
  if (!holdsNames(turn, values)) return own;
  const { namedChecksums } = turn.tree;
  const checksum = namedChecksums.get(own.checksum) ?? own.checksum;
  namedChecksums.set(own.checksum, checksum);
  return { ...own, checksum };
}

function holdsNames({ run }: Turn, values: JsonObject): boolean {
  const { fork, runId } = run;
  if (fork?.mode !== 'replay') return false;
  const text = JSON.stringify(values);
  return [runId, fork.sourceRunId, fork.origin].some((name) => text.includes(rootRunId(name)));
}

const CHECKSUM = /(?<="(?:checksum|editedChecksum)":")[0-9a-f]{64}(?=")/g;

/**
 * Learns which checksum the source has for which of the replay's, where that is all in which two texts differ. False
 * when they differ in anything else, or in a checksum of values that hold no names.
 */
export function learnNamedChecksums({ tree }: Turn, own: string, recorded: string): boolean {
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
