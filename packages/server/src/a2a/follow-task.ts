import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Notice } from '@baton/engine';
import { isWaiting } from '@baton/protocol';
import type { A2aCall } from './call.ts';
import { readTask } from './read-tasks.ts';
import { updatesOf } from './task.ts';
import { taskState } from './task-state.ts';

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

/**
 * The task as it is, and then its changes of state. The watch begins before the task is read, so that a change in
 * between is not missed.
 */
export async function* followTask(
  call: A2aCall,
  taskId: string,
  until: Until,
): AsyncGenerator<StreamResponse, void, undefined> {
  const news = watchTask(call, taskId);
  try {
    let { task } = await readTask(call, taskId);
    yield { payload: { $case: 'task', value: task } };
    while (!isOver(task, until)) {
      const isNews = await news.next(stateIn(task));
      if (!isNews) return;
      const next = (await readTask(call, taskId)).task;
      if (isSame(task, next)) continue;
      task = next;
      yield* updatesOf(task);
    }
  } finally {
    news.stop();
  }
}

function isOver(task: Task, until: Until): boolean {
  const isAsking = stateIn(task) === TaskState.TASK_STATE_INPUT_REQUIRED;
  return hasEnded(task) || (until === 'ended-or-asking' && isAsking);
}

function isSame(before: Task, after: Task): boolean {
  const asked = ({ metadata }: Task): unknown => metadata?.openwop?.interrupt?.interruptId;
  return stateIn(before) === stateIn(after) && asked(before) === asked(after);
}

function stateIn({ status }: Pick<Task, 'status'>): TaskState {
  return status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
}

interface News {
  /** True when the task may have another state than this one, or another question. False when nobody listens any more. */
  next(shown: TaskState): Promise<boolean>;
  stop(): void;
}

function watchTask({ host, signal }: A2aCall, taskId: string): News {
  let latest: Notice['status'] | undefined;
  let wake = (): void => undefined;
  const stopWatching = host.feed.watch(taskId, ({ status }) => {
    latest = status;
    wake();
  });
  const abort = (): void => wake();
  signal.addEventListener('abort', abort);
  return {
    async next(shown) {
      for (;;) {
        if (signal.aborted) return false;
        const seen = latest;
        latest = undefined;
        if (seen !== undefined && (isWaiting(seen) || taskState(seen) !== shown)) return true;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (latest !== undefined || signal.aborted) resolve();
        });
      }
    },
    stop() {
      stopWatching();
      signal.removeEventListener('abort', abort);
    },
  };
}
