import type { ForkPoint } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { type RunColumns, selectRuns } from './run-row.ts';

/** What one run itself wrote of a log: events with `from` <= sequence < `to`. */
export interface LogPart {
  readonly runNo: number;
  readonly from: number;
  readonly to: number;
  /** How the run came out of another one, which wrote the part before. */
  readonly point?: ForkPoint;
}

/**
 * The parts that make up a run's log up to `end`, the earliest first; only forks have more than one. A fork that
 * begins right at `end` has an empty part: from there on the state is its own.
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
      if (to >= from) parts.unshift({ runNo: run.runNo, from, to, ...pointOf(run) });
      to = Math.min(to, from);
      run = run.baseNo === null ? undefined : byNumber.get(run.baseNo);
    }
    return parts;
  };
}

function pointOf({ runId, parentRunId, createdAt, fork }: RunColumns): { point?: ForkPoint } {
  if (fork === null) return {};
  return {
    point: { runId, ...(parentRunId !== null && { parentRunId }), createdAt, fork: JSON.parse(fork) },
  };
}
