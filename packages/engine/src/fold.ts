import type { RunEvent } from '@baton/protocol';
import { evolve } from './kernel/fold/evolve.ts';
import type { Run } from './kernel/run.ts';
import type { StoredRun } from './ports/store.ts';

/** Brings stored bytes back to life. Recovery, reading and the replay check all go through here. */

export function foldTexts(run: Run | undefined, texts: readonly string[]): Run {
  let state = run;
  for (const text of texts) {
    const event = JSON.parse(text) as RunEvent;
    state = evolve(state, event, Date.parse(event.timestamp));
  }
  if (state === undefined) throw new Error('a run has at least one event');
  return state;
}

/** The store gives a checkpoint only when this fold made it, and the whole log otherwise. */
export function foldStored(stored: StoredRun): Run {
  const { checkpoint, tail } = stored;
  return foldTexts(checkpoint && (JSON.parse(checkpoint.state) as Run), tail);
}
