import { BatonError, type JsonObject, type RunSnapshot, type WorkflowDefinition } from '@baton/client';
import { baton } from '../../../api/baton.ts';
import { checksumOf } from '../../../checksum/checksum.ts';
import { forkOf } from '../header/run-query.ts';
import type { MergeView } from './merge-view.ts';
import type { HostFinding } from './use-merges.ts';
import { type Evidence, type Verification, verifyMerge } from './verify-merge.ts';

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

const MOST_FORKS = 20;

/** Reads what a verification needs. Parts that can no longer be read are left out. */
async function readEvidence(
  runId: string,
  merge: MergeView,
  definitionDigest: string | undefined,
): Promise<Evidence> {
  const run = await baton.run(runId).snapshot();
  const [child, mapping, formerIds] = await Promise.all([
    unlessGone(variablesOf(merge.childRunId)),
    unlessGone(mappingOf(run, merge, definitionDigest)),
    formerIdsOf(run),
  ]);
  return { ...(child && { child }), ...(mapping && { mapping }), formerIds };
}

/** Only a completed child has outputs. */
async function variablesOf(childRunId: string): Promise<JsonObject | undefined> {
  const { status, variables, erased } = await baton.run(childRunId).snapshot();
  return status === 'completed' && erased !== true ? (variables as JsonObject) : undefined;
}

/**
 * The output mapping of the node, if the workflow is still the one that the run was started with. The first event of
 * the run names its checksum.
 */
async function mappingOf(
  run: RunSnapshot,
  { nodeId, workerId }: MergeView,
  digest: string | undefined,
): Promise<Evidence['mapping']> {
  const definition = await baton.workflows.read(run.workflowId);
  if (checksumOf(definition as unknown as JsonObject) !== digest) return undefined;
  return mappingIn(definition, nodeId, workerId);
}

/** The mapping of a worker replaces that of the node. A node without a mapping hands over all variables. */
function mappingIn(
  { nodes }: Pick<WorkflowDefinition, 'nodes'>,
  nodeId: string,
  workerId: string,
): Readonly<Record<string, string>> {
  const config = nodes.find((node) => node.id === nodeId)?.config as Record<string, unknown> | undefined;
  const perWorker = config?.perWorkerOutputMappings as Record<string, unknown> | undefined;
  const own = perWorker !== undefined && Object.hasOwn(perWorker, workerId) ? perWorker[workerId] : undefined;
  return (own ?? config?.outputMapping ?? {}) as Readonly<Record<string, string>>;
}

/** A replay takes over the checksums of its source. */
async function formerIdsOf(run: RunSnapshot): Promise<Evidence['formerIds']> {
  const found: (readonly [string, string])[] = [];
  let present: RunSnapshot | undefined = run;
  while (present !== undefined && found.length < MOST_FORKS) {
    const fork = forkOf(present);
    if (fork?.mode !== 'replay') break;
    found.push(rootsOf(present.runId, fork.sourceRunId));
    present = await unlessGone(baton.run(fork.sourceRunId).snapshot());
  }
  return found;
}

/** The root parts of two ids. Both may be of children, for a child can be replayed by itself. */
function rootsOf(runId: string, other: string): readonly [here: string, there: string] {
  const below = runId.includes('.') ? runId.slice(runId.indexOf('.')) : '';
  return [runId.slice(0, runId.length - below.length), other.slice(0, other.length - below.length)];
}

/** `undefined` where the host no longer has it, or does not show it to this person. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const status = error instanceof BatonError ? error.status : undefined;
    if (status === 403 || status === 404 || status === 410) return undefined;
    throw error;
  }
}
