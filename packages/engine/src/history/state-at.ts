import { isoTime, type JsonObject, type RunStatus } from '@baton/protocol';
import { foldToRead } from '../fold.ts';
import { viewOfMemory } from '../kernel/fold/evolve-fork.ts';
import type { Run } from '../kernel/run.ts';
import { hideSealed } from '../kernel/secrecy/sealed.ts';
import { statusOf } from '../kernel/status.ts';
import type { MemoryHistoryReads } from '../ports/memory.ts';
import type { LogReads } from '../ports/reads/logs.ts';
import { nodeView } from '../snapshot.ts';
import { atOnce, type Compute } from './compute.ts';
import { type MemoryEntry, memoryEntry } from './memory-entry.ts';

/** The state of a run before one of its events, as a fork from this index would start with it. */
export interface StateAt {
  readonly runId: string;
  readonly at: number;
  /** The time of the last event before the index. */
  readonly time?: string;
  /** According to the log of this run only. The states of its children at that time are not read. */
  readonly status: RunStatus;
  readonly iteration: number;
  readonly variables: JsonObject;
  readonly channels: JsonObject;
  readonly nodeStates: Readonly<Record<string, JsonObject>>;
  readonly memory: {
    readonly scope?: string;
    readonly version?: number;
    readonly entries: readonly MemoryEntry[];
  };
}

const MEMORY_SHOWN = 100;

/** `undefined` when the run does not exist, or when its log or its memory of that time was removed. */
export async function stateAt(
  reads: Pick<LogReads, 'storedAt'> & MemoryHistoryReads,
  { tenant, runId }: { readonly tenant: string; readonly runId: string },
  at: number,
  compute: Compute = atOnce,
): Promise<StateAt | undefined> {
  if (at === 0) return BEFORE_ALL(runId);
  const stored = await reads.storedAt(tenant, runId, at);
  if (stored === undefined) return undefined;
  const run = await compute(() => foldToRead(stored));
  const memory = await memoryOf(reads, run, tenant);
  if (memory === undefined) return undefined;
  return hideSealed({
    runId,
    at,
    time: isoTime(run.at),
    status: statusOf(run, () => undefined),
    iteration: run.iteration,
    variables: run.variables,
    channels: run.channels,
    nodeStates: Object.fromEntries(Object.entries(run.nodes).map(([id, state]) => [id, nodeView(state)])),
    memory,
  });
}

const BEFORE_ALL = (runId: string): StateAt => ({
  runId,
  at: 0,
  status: 'pending',
  iteration: 0,
  variables: {},
  channels: {},
  nodeStates: {},
  memory: { entries: [] },
});

/** Expiry is judged at the time of the last event: entries that expired later are shown. */
async function memoryOf(
  reads: MemoryHistoryReads,
  run: Run,
  tenant: string,
): Promise<StateAt['memory'] | undefined> {
  const { scope, version } = run.memory;
  const query = { tenant, view: viewOfMemory(run.memory), now: run.at, limit: MEMORY_SHOWN };
  const rows = await reads.keptMemory(query);
  return rows && { scope, version, entries: rows.map(memoryEntry) };
}
