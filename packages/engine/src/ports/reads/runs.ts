import type { RunStatus } from '@baton/protocol';
import type { RunRow } from '../run-row.ts';
import type { StoredRun } from '../stored-run.ts';
import type { Hold } from '../trouble.ts';
import type { Page } from './page.ts';

export interface RunQuery {
  readonly tenant: string;
  readonly status?: RunStatus;
  readonly workflowId?: string;
  readonly tag?: string;
  readonly parentRunId?: string;
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly cursor?: string;
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

export interface RunReads {
  run(tenant: string, runId: string): Promise<RunRow | undefined>;
  runs(query: RunQuery): Promise<Page<RunRow>>;
  /** The run with at most `children` children. It is cheap, because no log is read. */
  runOverview(tenant: string, runId: string, children: number): Promise<RunOverview | undefined>;
  /** The same, and the run with its events. */
  runView(tenant: string, runId: string, children: number): Promise<RunView | undefined>;
  /** The same, and at most `limit` of all its descendants. */
  treeView(tenant: string, runId: string, children: number, limit: number): Promise<TreeView | undefined>;
  /** The tenant of a run. Only for the operator, never for another caller. */
  tenantOf(runId: string): Promise<string | undefined>;
}
