import { BatonError, type RunEvent } from '@baton/protocol';
import { evolve } from './kernel/fold/evolve.ts';
import { adopt } from './kernel/fold/evolve-fork.ts';
import type { Run } from './kernel/run.ts';
import type { ForkPoint, StoredRun } from './ports/store.ts';

/** Brings stored bytes back to life. Recovery, reading and the replay check all go through here. */

export function foldTexts(
  run: Run | undefined,
  texts: readonly string[],
  forks: readonly ForkPoint[] = [],
): Run {
  const state = foldOver(run, texts, forks);
  if (state === undefined) throw new Error('a run has at least one event');
  return state;
}

/**
 * The store gives a saved state only when this fold made it, and the whole log otherwise. The log of a fork
 * begins in its source; where it goes over, the state becomes the fork's.
 */
export function foldStored(stored: StoredRun): Run {
  const { savedState, tail, forks, row } = stored;
  const state = foldOver(savedState && (JSON.parse(savedState.state) as Run), tail, forks);
  if (state === undefined) throw new Error(`run ${row.runId} has no events`);
  // The log of a bundle still names the tenant that it was written for.
  return state.tenant === row.tenant ? state : { ...state, tenant: row.tenant };
}

/**
 * The state of a run for a caller who wants to read or fork it. The log may have been changed on the disk, so that
 * it cannot be folded. That is a refusal to this caller and no defect of the request.
 */
export function foldToRead(stored: StoredRun): Run {
  try {
    return foldStored(stored);
  } catch (cause) {
    const refusal = new BatonError('run_unreadable', undefined, { runId: stored.row.runId });
    refusal.cause = cause;
    throw refusal;
  }
}

function foldOver(
  run: Run | undefined,
  texts: readonly string[],
  forks: readonly ForkPoint[],
): Run | undefined {
  let state = run;
  let next = 0;
  const own = {};
  const goOver = () => {
    for (let point = forks[next]; point && state; point = forks[next]) {
      // A fork of the very beginning has a first event of its own, and is adopted after it.
      if (state.head !== Math.max(point.fork.fromSeq, 1)) return;
      state = adopt(state, point);
      next += 1;
    }
  };
  goOver();
  for (const text of texts) {
    const event = JSON.parse(text) as RunEvent;
    state = evolve(state, event, Date.parse(event.timestamp), own);
    goOver();
  }
  return state;
}
