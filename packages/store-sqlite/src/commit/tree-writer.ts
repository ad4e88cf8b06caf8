import { appendInOrder, eventsIn, type RunAdvance, type Slice, UnfitSliceError } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { interruptWriter } from '../queries/interrupts.ts';
import type { EventWriter } from './event-writer.ts';
import type { RunNumbers } from './run-numbers.ts';
import { runWriter, type TreeMove } from './run-writer.ts';
import type { UsageCounter } from './usage-counter.ts';

/** Writes the part of a slice that moves its tree: the rows of its runs, and their events. */
interface TreeWriter {
  /** Must be called at the beginning of each transaction. */
  begin(): void;
  /** False if the slice was computed from outdated rows. */
  write(slice: Slice): boolean;
}

interface TreeWriterParts {
  readonly numbers: RunNumbers;
  readonly events: EventWriter;
  readonly usage: UsageCounter;
}

export function treeWriter(database: Database, { numbers, events, usage }: TreeWriterParts): TreeWriter {
  const runs = runWriter(database, numbers);
  const interrupts = interruptWriter(database);
  const lastNumber = database.prepare<{ last: number | null }>('SELECT max(run_no) AS last FROM runs');
  const checkpoint = database.prepare(CHECKPOINT);
  let last = 0;

  function writeRow(runNo: number, run: RunAdvance, move: TreeMove | undefined): boolean {
    if (run.created !== undefined) return runs.create(runNo, run, run.created, move);
    return move === undefined ? runs.advance(runNo, run) : runs.advanceRoot(runNo, run, move);
  }

  /** `move` is given for the root of the tree only. */
  function writeRun(runNo: number, run: RunAdvance, move: TreeMove | undefined): boolean {
    if (!writeRow(runNo, run, move)) return false;
    const folded = run.savedState;
    if (folded !== undefined) {
      checkpoint.run(runNo, folded.sequence, folded.foldVersion, folded.state, folded.chain ?? null);
    }
    interrupts.write(runNo, run);
    return true;
  }

  /** A slice that changes nothing in its tree only checks that the tree has not moved. */
  function writeTree(slice: Slice): boolean {
    const { from, wake } = slice;
    const changes = slice.runs.length > 0 || wake !== undefined;
    if (from !== undefined) {
      if (changes) return writeRuns(slice, { from, to: from + eventsIn(slice), wake });
      const rootNo = numbers.of(slice.rootId);
      return rootNo !== undefined && runs.isAt(rootNo, from);
    }
    if (changes) throw new UnfitSliceError('the slice does not say from which place of its tree it goes on');
    return true;
  }

  function writeRuns(slice: Slice, move: TreeMove): boolean {
    // All numbers are assigned first, because the rows of a slice refer to each other in any order.
    for (const run of slice.runs) {
      if (run.created !== undefined) numbers.add(run.runId, ++last, run.created.tenant);
    }
    const written: number[] = [];
    let rootMoved = false;
    for (const run of slice.runs) {
      const runNo = numbers.of(run.runId);
      const isRoot = run.runId === slice.rootId;
      if (runNo === undefined || !writeRun(runNo, run, isRoot ? move : undefined)) return false;
      rootMoved ||= isRoot;
      written.push(runNo);
    }
    const rootNo = rootMoved ? undefined : numbers.of(slice.rootId);
    if (!rootMoved && (rootNo === undefined || !runs.moveTree(rootNo, move))) return false;
    countEvents(slice, appendInOrder(events, slice, written, move.from));
    return true;
  }

  /** All runs of a tree belong to one tenant. */
  function countEvents({ runs: [first] }: Slice, bytes: number): void {
    const tenant = first && numbers.tenantOf(first.runId);
    if (tenant !== undefined) usage.add(tenant, bytes);
  }

  return {
    begin() {
      last = lastNumber.get()?.last ?? 0;
    },
    write: writeTree,
  };
}

const CHECKPOINT = `
  INSERT INTO checkpoints (run_no, seq, fold_version, state, chain) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (run_no, seq) DO UPDATE
  SET fold_version = excluded.fold_version, state = excluded.state, chain = excluded.chain`;
