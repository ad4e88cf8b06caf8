import type { StoredRun } from '../stored-run.ts';

/** An event as stored, with its place in its tree. */
export interface EventInTree {
  readonly place: number;
  readonly text: string;
}

/** Logs only grow at their end, so the events before an index are the same at every moment until an erasure. */
export interface LogReads {
  stored(tenant: string, runId: string): Promise<StoredRun | undefined>;
  /** The run before event `sequence`: a saved state at or before it, and the events up to it. */
  storedAt(tenant: string, runId: string, sequence: number): Promise<StoredRun | undefined>;
  /** Events with sequence >= `from`, at most `limit`, as stored. */
  events(tenant: string, runId: string, from: number, limit: number): Promise<readonly string[]>;
  /** The same events with their places. The first events of a fork have their places in the tree of its source. */
  eventsInTree(tenant: string, runId: string, from: number, limit: number): Promise<readonly EventInTree[]>;
  /** How many events the run had directly after the event at this place of its tree. */
  lengthAt(tenant: string, runId: string, place: number): Promise<number>;
}
