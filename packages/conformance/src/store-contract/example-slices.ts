import type {
  ForkRecord,
  InterruptRecord,
  RunAdvance,
  RunRecord,
  Slice,
} from '../../../engine/src/ports/store.ts';

/** Short slices for tests. Values that a test does not give are the same in all of them. */

export const T0 = 1_700_000_000_000;

export function record(runId: string, more: Partial<RunRecord> = {}): RunRecord {
  return {
    runId,
    rootId: runId,
    tenant: 'acme',
    principal: 'ada',
    workflowId: 'demo.greet',
    workflowVersion: 1,
    tags: [],
    createdAt: T0,
    ...more,
  };
}

/** The record of a child, which names its parent and its root. */
export function childRecord(runId: string, parentRunId: string, more: Partial<RunRecord> = {}): RunRecord {
  const rootId = parentRunId.split('.')[0] ?? parentRunId;
  return record(runId, { rootId, parentRunId, parentNodeId: 'dispatch', ...more });
}

export function events(runId: string, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, offset) =>
    JSON.stringify({ eventId: `${runId}:${from + offset}`, sequence: from + offset }),
  );
}

export function advanced(
  runId: string,
  from: number,
  count: number,
  more: Partial<RunAdvance> = {},
): RunAdvance {
  return {
    runId,
    expectedHead: from,
    events: events(runId, from, count),
    status: 'running',
    at: T0 + from,
    interruptsOpened: [],
    interruptsClosed: [],
    ...more,
  };
}

export function created(run: RunRecord, count: number, more: Partial<RunAdvance> = {}): RunAdvance {
  return advanced(run.runId, 0, count, { created: run, ...more });
}

export function slice(rootId: string, runs: readonly RunAdvance[], more: Partial<Slice> = {}): Slice {
  return { rootId, runs, ...more };
}

/** The slice that creates a root run. */
export function birth(run: RunRecord, count = 1, more: Partial<RunAdvance> = {}): Slice {
  return slice(run.rootId, [created(run, count, more)], { from: 0 });
}

export function interrupt(
  runId: string,
  interruptId: string,
  more: Partial<InterruptRecord> = {},
): InterruptRecord {
  return {
    runId,
    interruptId,
    nodeId: 'approve',
    kind: 'approval',
    title: `approve ${interruptId}`,
    requestedAt: T0,
    ...more,
  };
}

export function forkOf(sourceRunId: string, fromSeq: number, more: Partial<ForkRecord> = {}): ForkRecord {
  return { sourceRunId, fromSeq, mode: 'branch', models: 'recorded', live: [], ...more };
}

/** The slice that creates a fork with some own events. */
export function forked(runId: string, fork: ForkRecord, count = 0, more: Partial<RunAdvance> = {}): Slice {
  const run = record(runId, { fork, createdAt: T0 + 100 });
  return slice(runId, [advanced(runId, fork.fromSeq, count, { created: run, ...more })]);
}
