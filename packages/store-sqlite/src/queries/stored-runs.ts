import { FOLD_VERSION, type RunRow, type StoredRun } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { type RunColumns, selectRuns, toRunRow } from './run-row.ts';

interface CheckpointColumns {
  readonly sequence: number;
  readonly foldVersion: number;
  readonly state: string;
}

/** One run by its id, whoever owns it: for the engine, never for a caller. */
export function runLookup(database: Database): (runId: string) => RunRow | undefined {
  const find = database.prepare<RunColumns>(selectRuns('WHERE run.run_id = ?'));
  return (runId) => {
    const row = find.get(runId);
    return row && toRunRow(row);
  };
}

/** Adds to a run's row what its state is folded from: a checkpoint of this fold, if any, and the events after it. */
export function storedRunLoader(database: Database): (row: RunColumns) => StoredRun {
  const checkpoints = database.prepare<CheckpointColumns>(
    `SELECT seq AS sequence, fold_version AS foldVersion, state
       FROM checkpoints WHERE run_no = ? AND fold_version = ?`,
  );
  const tail = database.prepare<{ data: string }>(
    'SELECT data FROM events WHERE run_no = ? AND seq >= ? ORDER BY seq',
  );
  return (row) => {
    const checkpoint = checkpoints.get(row.runNo, FOLD_VERSION);
    const events = tail.all(row.runNo, checkpoint?.sequence ?? 0);
    return {
      row: toRunRow(row),
      ...(checkpoint && { checkpoint }),
      tail: events.map((event) => event.data),
    };
  };
}

/** One run with what its state is folded from, ended or not. */
export function storedRunLookup(database: Database): (runId: string) => StoredRun | undefined {
  const load = storedRunLoader(database);
  const find = database.prepare<RunColumns>(selectRuns('WHERE run.run_id = ?'));
  return (runId) => {
    const row = find.get(runId);
    return row && load(row);
  };
}

/** The runs of a tree that have not ended, parents before their children. */
export function treeLoader(database: Database): (rootId: string) => readonly StoredRun[] {
  const load = storedRunLoader(database);
  const live = database.prepare<RunColumns>(
    selectRuns(
      `WHERE run.root_no = (SELECT run_no FROM runs WHERE run_id = ?)
         AND run.status NOT IN ('completed', 'failed', 'cancelled')
       ORDER BY run.run_no`,
      'INDEXED BY runs_live',
    ),
  );
  return (rootId) => live.all(rootId).map(load);
}
