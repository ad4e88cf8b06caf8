import type { Artifact, Task } from '@a2a-js/sdk';
import type { RunRow, RunView } from '@baton/engine/ports';
import { HANDOFF_EXTENSION, isTerminal, type RunSnapshot } from '@baton/protocol';
import { type OpenQuestion, openQuestion } from '../published/open-question.ts';
import { type RunResult, resultOf } from '../published/result.ts';
import { isShownTo } from '../published/shown-runs.ts';
import { snapshotFrom } from '../runs/snapshot.ts';
import type { A2aCall } from './call.ts';
import { noSuchTask } from './refusals.ts';
import { taskOf } from './task.ts';

/** Reads runs as tasks. */

export type ReadCall = Pick<A2aCall, 'host' | 'identity'>;

/** A task with the state of its run. */
interface TaskInFull {
  readonly task: Task;
  readonly row: RunRow;
  readonly snapshot: RunSnapshot;
  readonly question: OpenQuestion | undefined;
}

export async function readTask(call: ReadCall, taskId: string): Promise<TaskInFull> {
  const { host, identity } = call;
  const view = await host.reads.runView(identity.tenant, taskId, 0);
  if (view === undefined || !isShownTo(call.identity, view.row)) throw noSuchTask(taskId);
  return inFull(call, view);
}

/** The row of a task, without its log. */
export async function rowOfTask({ host, identity }: ReadCall, taskId: string): Promise<RunRow> {
  const row = await host.reads.run(identity.tenant, taskId);
  if (row === undefined || !isShownTo(identity, row)) throw noSuchTask(taskId);
  return row;
}

/** The task of a row. The log is read only where the task shows something of it. */
export async function listedTask(call: ReadCall, row: RunRow, withArtifacts: boolean): Promise<Task> {
  const { host } = call;
  const hasMore = isTerminal(row.status) ? withArtifacts : await isAsking(call, row);
  if (!hasMore) return taskOf(row, { hostId: host.hostId });
  const { task } = await readTask(call, row.runId);
  return withArtifacts ? task : { ...task, artifacts: [] };
}

/** Whether the run or a run below it has an open interrupt. */
export async function isAsking({ host, identity }: ReadCall, { runId, status }: RunRow): Promise<boolean> {
  if (isTerminal(status)) return false;
  return (await host.reads.firstInterrupt(identity.tenant, runId)) !== undefined;
}

async function inFull(call: ReadCall, view: RunView): Promise<TaskInFull> {
  const { host, identity } = call;
  const { row } = view;
  const snapshot = await snapshotFrom(host, view, identity);
  const artifact = artifactOf(resultOf(host, row, snapshot));
  const question = await openQuestion(host, identity, snapshot);
  const details = {
    hostId: host.hostId,
    snapshot,
    ...(question && { question }),
    ...(artifact && { artifact }),
  };
  return { row, snapshot, question, task: taskOf(row, details) };
}

/** The result of a run as the artifact of its task. */
function artifactOf(result: RunResult | undefined): Artifact | undefined {
  if (result === undefined) return undefined;
  const { outputs, statement } = result;
  return {
    artifactId: 'outputs',
    name: 'outputs',
    description: 'The variables with which the run ended.',
    parts: [
      {
        content: { $case: 'data', value: outputs },
        metadata: undefined,
        filename: '',
        mediaType: 'application/json',
      },
    ],
    metadata: statement && { [HANDOFF_EXTENSION]: statement },
    extensions: statement ? [HANDOFF_EXTENSION] : [],
  };
}
