import type { RunStatus } from '@baton/protocol';
import type { RunRow } from '../run-row.ts';
import type { StoredRun } from '../stored-run.ts';
import type { Hold } from '../trouble.ts';
import type { InterruptRecord } from './interrupts.ts';
import type { Page } from './page.ts';

export interface RunQuery {
  readonly tenant: string;
  /** One of these. Never empty. */
  readonly statuses?: readonly RunStatus[];
  readonly workflowId?: string;
  readonly tag?: string;
  readonly parentRunId?: string;
  /** Only runs without a parent. */
  readonly roots?: boolean;
  /** The beginning of a run id, or a part of a workflow id or of a tag. ASCII letters match in either case. */
  readonly text?: string;
  /** In epoch milliseconds: created at this time or later. */
  readonly createdFrom?: number;
  /** In epoch milliseconds: created before this time. */
  readonly createdBefore?: number;
  readonly limit: number;
  /**
   * How many runs are looked at for this page, at most, where no index finds the wanted ones. A page that has fewer
   * runs than `limit` for this reason has a `next`. Absent: as many as it takes.
   */
  readonly within?: number;
  /** The `next` of the previous page. */
  readonly cursor?: string;
}

interface RunCounts {
  readonly total: number;
  /** Without the statuses that no run has. */
  readonly byStatus: Readonly<Partial<Record<RunStatus, number>>>;
}

/** A run of a list, with the open interrupts of the run and its descendants, the oldest first. */
export interface ListedRun extends RunRow {
  /** At most as many as a summary shows, and those of a bounded number of descendants. Absent when there are none. */
  readonly waits?: readonly InterruptRecord[];
}

/** The parts of an answer about one run, read at one moment. */
export interface RunOverview {
  readonly row: RunRow;
  /** The newest children, as many as were asked for, the newest first. */
  readonly children: readonly RunRow[];
  /** The hold on the tree of the run. Absent when the run has ended. */
  readonly hold?: Hold;
}

export interface RunView extends RunOverview {
  /** Absent when the run was purged. */
  readonly stored?: StoredRun;
}

export interface TreeView extends RunView {
  /** In the order in which they were made, so that parents come before their children. */
  readonly descendants: readonly RunRow[];
}

/** A run and its descendants, read at one moment. */
export interface RunFamily {
  readonly row: RunRow;
  /** In the order in which they were made, so that parents come before their children. */
  readonly descendants: readonly RunRow[];
}

export interface RunReads {
  run(tenant: string, runId: string): Promise<RunRow | undefined>;
  runs(query: RunQuery): Promise<Page<ListedRun>>;
  /** How many runs the tenant has. No number exceeds `most`, beyond which nothing is counted. */
  runCounts(tenant: string, most: number): Promise<RunCounts>;
  /** Those of the runs that the tenant has, in no particular order. */
  listedRuns(tenant: string, runIds: readonly string[]): Promise<readonly ListedRun[]>;
  /** The run with at most `children` children. It is cheap, because no log is read. */
  runOverview(tenant: string, runId: string, children: number): Promise<RunOverview | undefined>;
  /** The same, and the run with its events. */
  runView(tenant: string, runId: string, children: number): Promise<RunView | undefined>;
  /** The same, and at most `limit` of all its descendants. */
  treeView(tenant: string, runId: string, children: number, limit: number): Promise<TreeView | undefined>;
  /** The run with at most `limit` of all its descendants. No log is read. */
  runFamily(tenant: string, runId: string, limit: number): Promise<RunFamily | undefined>;
  /** The tenant of a run. Only for the operator, never for another caller. */
  tenantOf(runId: string): Promise<string | undefined>;
}
