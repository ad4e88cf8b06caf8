import type { TaskPushStore, TaskPushWrite } from '../ports/reads/task-pushes.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';

/** Stores the pushes of tasks. The engine itself does not send them. */
export async function writeTaskPushes(store: TaskPushStore, write: TaskPushWrite): Promise<Outcome> {
  return { reply: done({ kind: 'task-pushes', changed: await changedBy(store, write) }) };
}

async function changedBy(store: TaskPushStore, write: TaskPushWrite): Promise<number> {
  switch (write.do) {
    case 'put':
      return Number(await store.putTaskPush(write.push, write.most));
    case 'settle':
      return Number(await store.settleTaskPush(write.place, write.progress));
    case 'delete':
      return Number(await store.deleteTaskPush(write.place));
    case 'rewrap':
      return store.rewrapTaskPushes(write.pushes);
  }
}
