import type { TaskPush, TaskPushPlace } from './reads/task-pushes.ts';

/** How far the deliveries of a push have come. */
export type TaskPushProgress = Pick<TaskPush, 'told' | 'tries' | 'failingSince' | 'nextAt'>;

/** The encrypted credentials of a push, and the form that takes their place. */
export interface RewrappedPush extends TaskPushPlace {
  readonly from: string;
  readonly to: string;
}

/** The pushes of tasks. Those of a run that is erased or purged are removed with it. */
export interface TaskPushStore {
  /**
   * Stores a push in place of an earlier one with its id. False, and nothing is stored, if the task has `most` other
   * pushes.
   */
  putTaskPush(push: TaskPush, most: number): Promise<boolean>;
  /** False if there is no such push. */
  settleTaskPush(place: TaskPushPlace, progress: TaskPushProgress): Promise<boolean>;
  /** False if there is no such push. */
  deleteTaskPush(place: TaskPushPlace): Promise<boolean>;
  /** As `rewrapSecrets`, for the credentials of pushes. */
  rewrapTaskPushes(pushes: readonly RewrappedPush[]): Promise<number>;
}

/** A write that the main thread sends to the thread that may write. */
export type TaskPushWrite =
  | { readonly do: 'put'; readonly push: TaskPush; readonly most: number }
  | { readonly do: 'settle'; readonly place: TaskPushPlace; readonly progress: TaskPushProgress }
  | { readonly do: 'delete'; readonly place: TaskPushPlace }
  | { readonly do: 'rewrap'; readonly pushes: readonly RewrappedPush[] };
