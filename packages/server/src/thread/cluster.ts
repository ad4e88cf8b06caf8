import { type Clock, type Ownership, systemClock } from '@baton/engine';
import type { ClusterState } from './messages.ts';

/** What the engine of a host has to know of the other hosts. */
interface Cluster {
  readonly ownership: Ownership;
  /** The clock of the database, so that hosts with wrong clocks agree about deadlines. */
  readonly clock: Clock;
  change(state: ClusterState): void;
}

/** A smaller difference may come from the way to the database and back. */
const WORTH_CORRECTING_MS = 25;

export function clusterOf(first: ClusterState): Cluster {
  let { alive } = first;
  let offset = 0;

  function change(state: ClusterState): void {
    alive = state.alive;
    if (Math.abs(state.clockOffsetMs - offset) >= WORTH_CORRECTING_MS)
      offset = Math.round(state.clockOffsetMs);
  }

  change(first);
  return {
    ownership: { owner: String(first.hostNo), alive: () => alive },
    clock: {
      now: () => systemClock.now() + offset,
      at: (time, callback) => systemClock.at(time - offset, callback),
    },
    change,
  };
}
