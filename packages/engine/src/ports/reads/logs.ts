import type { StoredRun } from '../stored-run.ts';

/** Logs only grow at their end, so the events before an index are the same at every moment until an erasure. */
export interface LogReads {
  stored(tenant: string, runId: string): Promise<StoredRun | undefined>;
  /** The run before event `sequence`: a saved state at or before it, and the events up to it. */
  storedAt(tenant: string, runId: string, sequence: number): Promise<StoredRun | undefined>;
  /** Events with sequence >= `from`, at most `limit`, as stored. */
  events(tenant: string, runId: string, from: number, limit: number): Promise<readonly string[]>;
}
