import {
  FOLD_VERSION,
  restored,
  type SavedState,
  type StoredRun,
  type StoredTree,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { type LogPart, logParts } from './log-parts.ts';
import { type RunColumns, selectRuns, toRunRow } from './run-row.ts';

type CheckpointColumns = Omit<SavedState, 'chain'> & { readonly chain: string | null };

/** Finds a run by its id in all tenants. Only for the engine, never for requests. */
export function runFinder(database: Database): (runId: string) => RunColumns | undefined {
  const find = database.prepare<RunColumns>(selectRuns('WHERE run.run_id = ?'));
  return (runId) => find.get(runId);
}

/**
 * Adds to the row of a run what is needed to fold its state before event `end`: the newest saved state of
 * this version of the fold, from the run itself or from the run that it was forked from, and the events after
 * it. A purged run has neither.
 */
export function storedRunLoader(
  database: Database,
): (row: RunColumns, end?: number) => StoredRun | undefined {
  const partsOf = logParts(database);
  const newest = database.prepare<CheckpointColumns>(
    `SELECT seq AS sequence, fold_version AS foldVersion, state, chain FROM checkpoints
     WHERE run_no = ? AND seq <= ? AND fold_version = ? ORDER BY seq DESC LIMIT 1`,
  );
  const events = database.prepare<{ seq: number; data: string }>(
    'SELECT seq, data FROM events WHERE run_no = ? AND seq >= ? AND seq < ? ORDER BY seq',
  );

  /** The newest saved state, and the index of the part that it belongs to. */
  function checkpointIn(parts: readonly LogPart[]): { at: number; checkpoint?: SavedState } {
    for (let at = parts.length - 1; at >= 0; at--) {
      const part = parts[at];
      const found = part && newest.get(part.runNo, part.to, FOLD_VERSION);
      if (found !== undefined) return { at, checkpoint: toCheckpoint(found) };
    }
    return { at: -1 };
  }

  return (row, end = row.head) => {
    if (row.purgedAt !== null) return undefined;
    const parts = partsOf(row, end);
    const { at, checkpoint } = checkpointIn(parts);
    const start = checkpoint?.sequence ?? 0;
    const tail: string[] = [];
    for (const part of parts.slice(Math.max(at, 0))) {
      for (const { seq, data } of events.all(part.runNo, Math.max(part.from, start), part.to)) {
        tail.push(restored(data, part.runId, seq));
      }
    }
    const forks = parts.slice(at + 1).flatMap(({ point }) => point ?? []);
    return { row: toRunRow(row), ...(checkpoint && { savedState: checkpoint }), tail, forks };
  };
}

export function treeLoader(database: Database): (rootId: string) => StoredTree {
  const newestPlace = newestPlaces(database);
  const load = storedRunLoader(database);
  const live = database.prepare<RunColumns>(
    selectRuns(
      `WHERE run.root_no = (SELECT run_no FROM runs WHERE run_id = ?)
         AND run.status NOT IN ('completed', 'failed', 'cancelled')
       ORDER BY run.run_no`,
      'INDEXED BY runs_live',
    ),
  );
  return (rootId) => ({
    newestPlace: newestPlace(rootId),
    runs: live.all(rootId).flatMap((row) => load(row) ?? []),
  });
}

/** The place of the newest event of a tree; 0 if there is no such tree. */
export function newestPlaces(database: Database): (rootId: string) => number {
  const places = database.prepare<{ places: number | null }>('SELECT places FROM runs WHERE run_id = ?');
  return (rootId) => places.get(rootId)?.places ?? 0;
}

function toCheckpoint({ chain, ...rest }: CheckpointColumns): SavedState {
  return chain === null ? rest : { ...rest, chain };
}
