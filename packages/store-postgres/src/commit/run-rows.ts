import {
  eventsIn,
  type ForkBase,
  NO_BASE,
  type RunAdvance,
  type RunRecord,
  type Slice,
  UnfitSliceError,
  type Wake,
} from '@baton/engine/ports';
import { requireInteger } from '../database/columns.ts';
import type { KnownRuns } from './known-runs.ts';
import { OutdatedSliceError } from './unfit-slice.ts';

/** How the slices of a batch move their tree. */
interface TreeMove {
  /** The place of the newest event before the batch. */
  readonly from: number;
  /** The place of the newest event after the batch. */
  to: number;
  /** Undefined: the tree keeps its wake-up time. */
  wake: Wake | undefined;
  /** No other host may keep the tree. */
  continues: boolean;
}

/** What a batch writes to the row of a run. Slices of the same run are merged. */
export interface RunMove {
  readonly runNo: number;
  /** The head before the batch; null if only the tree of the root moves. */
  first: number | null;
  head: number | null;
  status: string | null;
  goalMet: boolean | null;
  listed: string | null;
  at: number | null;
  chain: string | null;
  /** Of a root that is created or whose tree moves. */
  tree?: TreeMove;
  readonly birth?: Birth;
}

/** The columns that a run has from its creation on. */
export interface Birth {
  readonly record: RunRecord;
  readonly rootNo: number;
  readonly parentNo: number | null;
  readonly base: ForkBase;
}

/** The rows of runs and trees that the slices of a batch write. */
export interface RunRows {
  /**
   * Adds a slice and returns the numbers of its runs. Throws if the slice does not fit the earlier ones of the batch, or
   * names runs that are not stored.
   */
  add(slice: Slice): readonly number[];
  /** The runs, with the lowest numbers first. */
  runs(): readonly RunMove[];
  /** Trees that do not move, and where they must be. */
  readonly checks: readonly { readonly rootNo: number; readonly at: number }[];
}

/** `bases` are the bases of the forks that the batch creates, by the id of the fork. */
export function runRows(known: KnownRuns, bases: ReadonlyMap<string, ForkBase>): RunRows {
  const moves = runMoves(known, bases);
  const trees = new Map<string, TreeMove>();
  const checks: { rootNo: number; at: number }[] = [];

  /** The root of a tree may be created in the slice, or not be among its runs. */
  function moveTree({ rootId, wake, continues = false }: Slice, from: number, count: number): void {
    const tree = trees.get(rootId) ?? { from, to: from, wake: undefined, continues: false };
    if (tree.to !== from) throw new OutdatedSliceError();
    // A slice that sets the wake-up time has made this host the keeper.
    tree.continues ||= continues && tree.wake === undefined;
    tree.to += count;
    if (wake !== undefined && wake.at !== null) requireInteger('deadline', wake.at);
    tree.wake = wake ?? tree.wake;
    trees.set(rootId, tree);
    moves.ofRoot(rootId).tree = tree;
  }

  /** A slice that changes nothing in its tree only checks that the tree has not moved. */
  function check(rootId: string, at: number): void {
    const tree = trees.get(rootId);
    if (tree === undefined) checks.push({ rootNo: numberOf(known, rootId), at });
    else if (tree.to !== at) throw new OutdatedSliceError();
  }

  return {
    checks,
    add(slice) {
      const { rootId, from, runs, wake } = slice;
      const changes = runs.length > 0 || wake !== undefined;
      if (from === undefined) {
        if (changes)
          throw new UnfitSliceError('the slice does not say from which place of its tree it goes on');
        return [];
      }
      if (!changes) {
        check(rootId, from);
        return [];
      }
      // All numbers are assigned first, because the rows of a slice refer to each other in any order.
      for (const { runId, created } of runs) if (created !== undefined) known.create(runId, created.tenant);
      const numbers = runs.map(moves.advance);
      moveTree(slice, from, eventsIn(slice));
      return numbers;
    },
    runs: moves.all,
  };
}

function numberOf(known: KnownRuns, runId: string): number {
  const run = known.of(runId);
  if (run === undefined) throw new OutdatedSliceError();
  return run.runNo;
}

function runMoves(known: KnownRuns, bases: ReadonlyMap<string, ForkBase>) {
  const moves = new Map<number, RunMove>();

  function moveOf(runNo: number, birth?: Birth): RunMove {
    const found = moves.get(runNo);
    if (found !== undefined) return found;
    const move: RunMove = { runNo, ...UNMOVED, ...(birth && { birth }) };
    moves.set(runNo, move);
    return move;
  }

  function birthOf({ runId, expectedHead }: RunAdvance, record: RunRecord): Birth {
    const { fork, parentRunId } = record;
    const base = fork === undefined ? NO_BASE : bases.get(runId);
    if (base === undefined || expectedHead !== (fork?.fromSeq ?? 0)) throw new OutdatedSliceError();
    return {
      record,
      rootNo: numberOf(known, record.rootId),
      parentNo: parentRunId === undefined ? null : numberOf(known, parentRunId),
      base,
    };
  }

  return {
    ofRoot: (rootId: string) => moveOf(numberOf(known, rootId)),
    /** Returns the number of the run. */
    advance(run: RunAdvance): number {
      const move = moveOf(numberOf(known, run.runId), run.created && birthOf(run, run.created));
      move.first ??= run.expectedHead;
      if ((move.head ?? move.first) !== run.expectedHead) throw new OutdatedSliceError();
      // A later slice may take the place of this value before it is written.
      requireInteger('time', run.at);
      move.head = run.expectedHead + run.events.length;
      move.status = run.status;
      move.goalMet = run.goalMet ?? null;
      move.listed = run.listed === undefined ? move.listed : JSON.stringify(run.listed);
      move.at = run.at;
      move.chain = run.chain ?? move.chain;
      return move.runNo;
    },
    all: () => [...moves.values()].sort((a, b) => a.runNo - b.runNo),
  };
}

const UNMOVED = {
  first: null,
  head: null,
  status: null,
  goalMet: null,
  listed: null,
  at: null,
  chain: null,
};
