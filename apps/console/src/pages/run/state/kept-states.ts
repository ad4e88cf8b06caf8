import { BatonError, type RunState } from '@baton/client';
import { baton } from '../../../api/baton.ts';

/** How many states are kept. A state can be megabytes long, and a person steps back and forth between neighbours. */
const MOST_KEPT = 30;

/** The states that were read last, the oldest first. */
const kept = new Map<string, RunState>();

/** The state before an event. It never changes, so it is read once. */
export async function readState(runId: string, index: number, signal: AbortSignal): Promise<RunState> {
  const key = `${runId}:${index}`;
  const known = kept.get(key);
  const state = known ?? (await baton.run(runId).stateAt(index, { signal }));
  kept.delete(key);
  kept.set(key, state);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return state;
}

/** `undefined` when the host no longer has the state, for example because the memory of that time was removed. */
export async function readStateIfKept(
  runId: string,
  index: number,
  signal: AbortSignal,
): Promise<RunState | undefined> {
  try {
    return await readState(runId, index, signal);
  } catch (error) {
    const status = error instanceof BatonError ? error.status : undefined;
    if (status !== undefined && status >= 400 && status < 500 && status !== 401) return undefined;
    throw error;
  }
}
