import { TaskState } from '@a2a-js/sdk';
import { isTerminal, type RunStatus } from '@baton/protocol';

/** The state of a task for each status of its run. A run is never in the state `auth-required` or `rejected`. */
const STATES: Readonly<Record<RunStatus, TaskState>> = {
  pending: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  paused: TaskState.TASK_STATE_WORKING,
  'waiting-approval': TaskState.TASK_STATE_INPUT_REQUIRED,
  'waiting-input': TaskState.TASK_STATE_INPUT_REQUIRED,
  'waiting-external': TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelling: TaskState.TASK_STATE_WORKING,
  cancelled: TaskState.TASK_STATE_CANCELED,
};

/** A task whose run works asks back as soon as a run below it asks, even if other work goes on. */
export function taskState(status: RunStatus, isAsking = false): TaskState {
  const isHeld = status === 'paused' || status === 'cancelling' || isTerminal(status);
  return isAsking && !isHeld ? TaskState.TASK_STATE_INPUT_REQUIRED : STATES[status];
}
