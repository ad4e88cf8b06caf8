import {
  type BundledRun,
  type BundledTree,
  DebugBundle,
  isJsonObject,
  parse,
  rootRunId,
  TRUNCATED,
} from '@baton/protocol';
import { extendLink } from '../audit/sha256.ts';
import type { PublicKey } from '../audit/signing-key.ts';
import { proofText, whoSigned } from './proof.ts';
import { type ReadLog, readLog } from './read-log.ts';
import { type BundleRefusal, refused } from './refused.ts';

/**
 * Checks a bundle before any of it is stored: it must be complete and well-formed, every event must match its
 * schema and its place, and every log must lead to the link in its record.
 */

export interface ReadBundle extends Pick<DebugBundle, 'generatedAt'> {
  /** The host that wrote it. */
  readonly host: { readonly name: string; readonly version: string };
  /** The run that was exported. */
  readonly main: BundledRun;
  readonly tree: BundledTree;
  /** Sources come before their forks. */
  readonly runs: readonly ReadLog[];
  /** Every log has a hash chain, and no event was masked. */
  readonly verified: boolean;
  /** The trusted key that signed the bundle. */
  readonly signedBy?: string;
}

export function readBundle(body: unknown, trusted: readonly PublicKey[]): ReadBundle {
  // Checked first, because validating all events of a foreign document would take long for no use.
  if (isJsonObject(body) && body.baton === undefined) throw notOurs();
  const bundle = parse(DebugBundle, body, 'bundle');
  const { baton: tree, run, truncated } = bundle;
  if (tree === undefined) throw notOurs();
  if (truncated && bundle.truncatedReason === TRUNCATED.erased)
    throw refused('is not whole, because the run was erased while the bundle was written');
  if (truncated) throw refused('was cut off because the run is too large');
  const byId = new Map(tree.runs.map((one) => [one.runId, one]));
  const main = byId.get(run.runId);
  if (main === undefined || byId.size !== tree.runs.length)
    throw refused('does not contain the run that it names, or contains a run twice');
  if (main.rootId !== main.runId)
    throw refused(`is of a child run; export the bundle of ${main.rootId} instead`);

  const read = new Map<string, ReadLog>();
  for (const one of sourcesFirst(tree.runs, byId)) {
    checkPlace(one, main.runId, byId);
    const own = one === main ? bundle.events.slice(one.fork?.fromSeq ?? 0) : (one.events ?? []);
    read.set(one.runId, readLog(one, own, read));
  }
  const chained = tree.runs.every(({ chain }) => chain !== undefined);
  const signedBy = chained
    ? whoSigned(proofOf(main.runId, tree, read), bundle.batonProof, trusted)
    : undefined;
  const { generatedAt, host } = bundle;
  return {
    generatedAt,
    host: { name: host.name, version: host.version },
    main,
    tree,
    runs: [...read.values()],
    verified: chained && tree.runs.every(({ masked = [] }) => masked.length === 0),
    ...(signedBy !== undefined && { signedBy }),
  };
}

function proofOf(mainId: string, tree: BundledTree, read: ReadonlyMap<string, ReadLog>) {
  const proof = proofText(mainId);
  for (const { events: _events, ...record } of tree.runs) {
    proof.addRun(JSON.stringify(record), extendLink('', read.get(record.runId)?.texts ?? []));
  }
  for (const scope of tree.memory) proof.addScope(JSON.stringify(scope));
  return proof;
}

/** An order in which every run comes after its source. */
function sourcesFirst(
  runs: readonly BundledRun[],
  byId: ReadonlyMap<string, BundledRun>,
): readonly BundledRun[] {
  const sorted = new Set<BundledRun>();
  for (const run of runs) {
    const chain: BundledRun[] = [];
    for (let one: BundledRun | undefined = run; one && !sorted.has(one); one = sourceOf(one, byId)) {
      if (chain.length > runs.length) throw refused('has runs that were forked from each other');
      chain.push(one);
    }
    for (const one of chain.reverse()) sorted.add(one);
  }
  return [...sorted];
}

function sourceOf(
  { runId, fork }: BundledRun,
  byId: ReadonlyMap<string, BundledRun>,
): BundledRun | undefined {
  if (fork === undefined || fork.fromSeq === 0) return undefined;
  const source = byId.get(fork.sourceRunId);
  if (source === undefined) throw refused(`lacks run ${fork.sourceRunId}, which ${runId} was forked from`);
  return source;
}

function checkPlace(run: BundledRun, mainId: string, byId: ReadonlyMap<string, BundledRun>): void {
  const { runId, rootId, parentRunId, part } = run;
  if (rootId !== rootRunId(runId)) throw refused(`says that ${rootId} is the root of ${runId}`);
  if (part === 'tree' && rootId !== mainId) throw refused(`holds ${runId}, which belongs to another tree`);
  const parent = runId === rootId ? undefined : runId.slice(0, runId.lastIndexOf('.'));
  if (parentRunId !== parent) throw refused(`says that ${parentRunId} is the parent of ${runId}`);
  if (part === 'tree' && parent !== undefined && !byId.has(parent)) throw refused(`lacks run ${parent}`);
}

function notOurs(): BundleRefusal {
  return refused('was not written by a Baton host, and does not hold enough data to rebuild the run');
}
