import type { RunStatus } from '@baton/protocol';
import { foldToRead } from '../../fold.ts';
import { newSource } from '../../kernel/replay/source.ts';
import { deadlineOf } from '../../kernel/rest.ts';
import { awaitedChildren, isEnded } from '../../kernel/run.ts';
import type { Tree, World } from '../../kernel/working-run.ts';
import type { Store, StoredRun } from '../../ports/store.ts';
import type { Workflows } from '../workflows.ts';
import { linkOf } from './chain-link.ts';

/** A tree in memory, and how far each of its runs is stored. */
export interface LoadedTree {
  readonly tree: Tree;
  readonly stored: Map<string, StoredProgress>;
  /** The place of the newest event that was taken into a slice. */
  newestPlace: number;
}

export interface StoredProgress {
  status: RunStatus | undefined;
  /** Bytes of events since the last saved state, and the size of that saved state. */
  tailBytes: number;
  savedStateBytes: number;
  /** The link of the hash chain after the newest event that was taken into a slice. */
  chain: string;
}

/** The progress of a run that is not stored yet. A fork begins with the link of its source at the cut. */
export function noProgress(chain: string): StoredProgress {
  return { status: undefined, tailBytes: 0, savedStateBytes: 0, chain };
}

/** A tree without runs. `newestPlace` of a fork is the place of its cut. */
export function emptyTree(rootId: string, world: World, newestPlace = 0): LoadedTree {
  const tree: Tree = {
    rootId,
    runs: new Map(),
    agenda: [],
    wanted: [],
    asking: new Set(),
    foreignSeals: new Map(),
    namedChecksums: new Map(),
    changes: [],
    awaitsCommit: false,
    work: 0,
    resting: false,
    world,
    events: 0,
    bytes: 0,
    happened: [],
    steps: [],
    replaced: [],
  };
  return { tree, stored: new Map(), newestPlace };
}

/** Loads a tree from the store: folds the saved states and the events after them. */
export async function loadTree(
  store: Store,
  workflows: Workflows,
  rootId: string,
  world: World,
): Promise<LoadedTree> {
  const { newestPlace, runs } = await store.loadTree(rootId);
  const loaded = emptyTree(rootId, world, newestPlace);
  for (const run of runs) await addRun(loaded, store, workflows, run);
  for (const working of [...loaded.tree.runs.values()]) {
    for (const childRunId of awaitedChildren(working.run)) {
      if (loaded.tree.runs.has(childRunId)) continue;
      // The child has ended, but its parent has not recorded this yet, or its outputs are at the merge gate.
      const child = await store.storedRun(childRunId);
      if (child) await addRun(loaded, store, workflows, child);
    }
  }
  loaded.tree.agenda.push(...loaded.tree.runs.keys());
  return loaded;
}

async function addRun(
  { tree, stored }: LoadedTree,
  store: Store,
  workflows: Workflows,
  given: StoredRun,
): Promise<void> {
  const run = foldToRead(given);
  const plan = await workflows.plan(run.definition);
  const isReplay = run.fork?.mode === 'replay';
  tree.runs.set(run.runId, {
    tree,
    plan,
    base: run,
    run,
    texts: [],
    ...(isReplay && { source: newSource() }),
  });
  stored.set(run.runId, {
    status: given.row.status,
    tailBytes: given.tail.reduce((sum, text) => sum + text.length, 0),
    savedStateBytes: given.savedState?.state.length ?? 0,
    chain: await linkOf(store, given),
  });
}

/**
 * Puts runs with a passed deadline on the agenda. Other runs are put there when the answer, outcome or child
 * that they wait for arrives. So a tree with thousands of waiting runs costs nothing while they wait.
 */
export function lookAtDue(tree: Tree): void {
  const { agenda, runs, world } = tree;
  const listed = new Set(agenda);
  const due: string[] = [];
  for (const [runId, working] of runs) {
    const deadline = deadlineOf(working);
    if (deadline !== undefined && deadline <= world.now && !listed.has(runId)) due.push(runId);
  }
  // The agenda is worked off from its end, so runs that were already on it come before those that are due.
  if (due.length > 0) agenda.unshift(...due.reverse());
}

/** Removes from memory the runs that have ended and that no parent waits for. They stay in the store. */
export function forgetEnded({ tree, stored }: LoadedTree): void {
  const ended = [...tree.runs.values()].some(({ run }) => isEnded(run));
  if (!ended) return;
  const awaited = new Set<string>();
  for (const { run } of tree.runs.values()) {
    for (const childRunId of awaitedChildren(run)) awaited.add(childRunId);
  }
  for (const [runId, working] of tree.runs) {
    if (!isEnded(working.run) || awaited.has(runId)) continue;
    tree.runs.delete(runId);
    stored.delete(runId);
  }
}
