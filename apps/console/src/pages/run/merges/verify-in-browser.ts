import { readEvidence } from './evidence.ts';
import type { MergeView } from './merge-view.ts';
import type { HostFinding } from './use-merges.ts';
import { type Verification, verifyMerge } from './verify-merge.ts';

/** Loaded when somebody asks for a verification: the code that computes checksums is needed nowhere else. */
export async function verifyNow(
  runId: string,
  merge: MergeView,
  definition: string | undefined,
  finding: HostFinding | undefined,
): Promise<Verification> {
  const evidence = await readEvidence(runId, merge, definition);
  const likely = finding?.variables.map(({ name, from }) => [name, from] as const);
  return verifyMerge(merge, { ...evidence, ...(likely && { likelyMapping: Object.fromEntries(likely) }) });
}
