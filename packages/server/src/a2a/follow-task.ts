import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Notice } from '@baton/engine';
import { isWaiting } from '@baton/protocol';
import { isSameQuestion } from '../published/open-question.ts';
import type { A2aCall } from './call.ts';
import { withHistory } from './history.ts';
import { readTask } from './read-tasks.ts';
import { taskState, updatesOf } from './task.ts';

/** Tells a caller how a task goes on. */

/** The stream of a message ends when the task asks back. A subscription goes on until the task has ended. */
type Until = 'ended' | 'ended-or-asking';

const ENDED: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

export function hasEnded({ status }: Task): boolean {
  return ENDED.has(stateIn({ status }));
}

/** The task as it is, and then its changes of state. */
export async function* followTask(
  call: A2aCall,
  taskId: string,
  until: Until,
  history?: number,
): AsyncGenerator<StreamResponse, void, undefined> {
  let isFirst = true;
  for await (const task of statesOf(call, taskId, until)) {
    if (isFirst) yield { payload: { $case: 'task', value: await withHistory(call, task, history) } };
    else yield* updatesOf(task);
    isFirst = false;
  }
}

/** The task when it has ended or asks back, or as it is when the signal is aborted. */
export async function waitForTask(call: A2aCall, taskId: string): Promise<Task> {
  let last: Task | undefined;
  for await (const task of statesOf(call, taskId, 'ended-or-asking')) last = task;
  return last ?? (await readTask(call, taskId)).task;
}

/** The watch begins before the task is read, so that a change in between is not missed. */
async function* statesOf(call: A2aCall, taskId: string, until: Until): AsyncGenerator<Task, void, undefined> {
  const news = watchTask(call, taskId);
  try {
    let { task, question } = await readTask(call, taskId);
    yield task;
    while (!isOver(task, until)) {
      const isNews = await news.next({ state: stateIn(task), asking: question?.runId });
      if (!isNews) return;
      const next = await readTask(call, taskId);
      const isSame = stateIn(task) === stateIn(next.task) && isSameQuestion(question, next.question);
      ({ task, question } = next);
      if (!isSame) yield task;
    }
  } finally {
    news.stop();
  }
}

function isOver(task: Task, until: Until): boolean {
  const isAsking = stateIn(task) === TaskState.TASK_STATE_INPUT_REQUIRED;
  return hasEnded(task) || (until === 'ended-or-asking' && isAsking);
}

function stateIn({ status }: Pick<Task, 'status'>): TaskState {
  return status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
}

/** What a caller has been told: the state of the task, and the run whose question it shows. */
interface Shown {
  readonly state: TaskState;
  readonly asking: string | undefined;
}

function watchTask({ host, signal }: A2aCall, taskId: string) {
  /** The newest status of each run of the task that has moved. */
  const moved = new Map<string, Notice['status']>();
  let wake = (): void => undefined;
  const stopWatching = host.feed.watchTree(taskId, ({ runId, status }) => {
    moved.set(runId, status);
    wake();
  });
  const abort = (): void => wake();
  signal.addEventListener('abort', abort);
  return {
    /** True when the task may have another state or another question. False when nobody listens any more. */
    async next(shown: Shown): Promise<boolean> {
      for (;;) {
        if (signal.aborted) return false;
        const seen = [...moved];
        moved.clear();
        if (seen.some(([runId, status]) => isNews(runId === taskId, runId, status, shown))) return true;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (moved.size > 0 || signal.aborted) resolve();
        });
      }
    },
    stop(): void {
      stopWatching();
      signal.removeEventListener('abort', abort);
    },
  };
}

/** A run below the task changes what is shown when it asks, and when it goes on after its question was shown. */
function isNews(isRoot: boolean, runId: string, status: Notice['status'], { state, asking }: Shown): boolean {
  return isWaiting(status) || (isRoot ? taskState(status) !== state : runId === asking);
}
