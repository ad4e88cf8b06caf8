import { type ForkPoint, forkPoint } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { type RunColumns, selectRuns } from './run-row.ts';

/** The part of a log that one run wrote itself: events with `from` <= sequence < `to`. */
export interface LogPart {
  readonly runNo: number;
  readonly runId: string;
  readonly from: number;
  readonly to: number;
  /** Set if the run is a fork. The part before this one belongs to the run that it was forked from. */
  readonly point: ForkPoint | undefined;
}

/**
 * The parts of the log of a run up to `end`, the earliest first. Only forks have more than one. If a fork
 * begins exactly at `end`, its part is empty, but it is in the list, because the fork changes the state at
 * `end`.
 */
export function logParts(database: Database): (run: RunColumns, end: number) => readonly LogPart[] {
  const byNumber = database.prepare<RunColumns>(selectRuns('WHERE run.run_no = ?'));
  return (top, end) => {
    if (top.purgedAt !== null) return [];
    const parts: LogPart[] = [];
    let run: RunColumns | undefined = top;
    let to = Math.min(end, top.head);
    while (run !== undefined) {
      const from: number = run.baseSeq ?? 0;
      if (to >= from) parts.unshift({ runNo: run.runNo, runId: run.runId, from, to, point: forkPoint(run) });
      to = Math.min(to, from);
      run = run.baseNo === null ? undefined : byNumber.get(run.baseNo);
    }
    return parts;
  };
}
