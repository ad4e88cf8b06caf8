/** Which push of which task. */
export interface TaskPushPlace {
  readonly tenant: string;
  /** The id of the task, which is that of its run. */
  readonly runId: string;
  readonly pushId: string;
}

/** An address to which the state of an A2A task is sent when the task has ended or asks back. */
export interface TaskPush extends TaskPushPlace {
  readonly url: string;
  /** What proves the sender to the receiver, encrypted, in the compact form of JWE. The store cannot open it. */
  readonly credentials: string;
  /** The version of A2A in which the state is sent. */
  readonly version: string;
  readonly createdAt: number;
  /** Names the state that the receiver has taken last. Absent before the first one. */
  readonly told?: string;
  /** Failed tries of the next state. */
  readonly tries: number;
  readonly failingSince?: number;
  /** The time of the next try. Absent when no try has failed. */
  readonly nextAt?: number;
}

export interface TaskPushReads {
  /** The pushes of one task, in the order of their ids. */
  taskPushes(tenant: string, runId: string): Promise<readonly TaskPush[]>;
  /** A page of the pushes of all tenants, in the order of their places. Only for the host itself. */
  everyTaskPush(after: TaskPushPlace | undefined, limit: number): Promise<readonly TaskPush[]>;
}

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
