import type { Task } from '@a2a-js/sdk';
import type { RunRow, RunView } from '@baton/engine/ports';
import { isTerminal, isWaiting, type JsonObject, type RunSnapshot } from '@baton/protocol';
import { snapshotFrom } from '../runs/snapshot.ts';
import type { A2aCall } from './call.ts';
import { noSuchTask } from './refusals.ts';
import { resultOf } from './result.ts';
import { taskOf } from './task.ts';

/** Reads runs as tasks. */

export type ReadCall = Pick<A2aCall, 'host' | 'identity'>;

/** A task with the state of its run. */
interface TaskInFull {
  readonly task: Task;
  readonly row: RunRow;
  readonly snapshot: RunSnapshot;
}

export async function readTask(call: ReadCall, taskId: string): Promise<TaskInFull> {
  const { host, identity } = call;
  const view = await host.reads.runView(identity.tenant, taskId, 0);
  if (view === undefined || !isTaskFor(call, view.row)) throw noSuchTask(taskId);
  return inFull(call, view);
}

/** The row of a task, without its log. */
export async function rowOfTask({ host, identity }: ReadCall, taskId: string): Promise<RunRow> {
  const row = await host.reads.run(identity.tenant, taskId);
  if (row === undefined || !isTaskFor({ identity }, row)) throw noSuchTask(taskId);
  return row;
}

/**
 * A task is a root run whose log is kept. A peer sees only the tasks that it has started itself, because the operator
 * may have given it a tenant that others use too.
 */
export function isTaskFor({ identity }: Pick<ReadCall, 'identity'>, row: RunRow): boolean {
  const isKept = row.erasedAt === undefined && row.purgedAt === undefined;
  const isOwn = identity.peer === undefined || row.principal === identity.principal;
  return isKept && isOwn && row.parentRunId === undefined;
}

/** The task of a row. The log is read only where the task shows something of it. */
export async function listedTask(call: ReadCall, row: RunRow, withArtifacts: boolean): Promise<Task> {
  const { host } = call;
  if (!isWaiting(row.status) && !(withArtifacts && isTerminal(row.status))) {
    return taskOf(row, { hostId: host.hostId });
  }
  const { task } = await readTask(call, row.runId);
  return withArtifacts ? task : { ...task, artifacts: [] };
}

async function inFull(call: ReadCall, view: RunView): Promise<TaskInFull> {
  const { host, identity } = call;
  const { row } = view;
  const snapshot = await snapshotFrom(host, view, identity);
  const variables = told(call, snapshot.variables as JsonObject);
  const artifact = resultOf(row, { hostId: host.hostId, key: host.auditKey, variables });
  const details = { hostId: host.hostId, snapshot, ...(artifact && { artifact }) };
  return { row, snapshot, task: taskOf(row, details) };
}

/**
 * Secrets are removed before the checksum is made. Otherwise they would be removed when the answer is sent, and the
 * outputs would not have the checksum that was signed.
 */
function told({ host, identity }: ReadCall, variables: JsonObject): JsonObject {
  return JSON.parse(host.telling.json(identity.tenant, JSON.stringify(variables))) as JsonObject;
}
