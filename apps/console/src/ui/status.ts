import type { RunStatus } from '@baton/client';

/** The seven looks of a status. Each has one colour, one icon and one word, on every page. */
export type StatusLook = 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled';

export const LOOK_OF: Readonly<Record<RunStatus, StatusLook>> = {
  pending: 'pending',
  running: 'running',
  paused: 'paused',
  'waiting-approval': 'waiting',
  'waiting-input': 'waiting',
  'waiting-external': 'waiting',
  completed: 'completed',
  failed: 'failed',
  cancelling: 'cancelled',
  cancelled: 'cancelled',
};

export const STATUS_WORDS: Readonly<Record<RunStatus, string>> = {
  pending: 'Pending',
  running: 'Running',
  paused: 'Paused',
  'waiting-approval': 'Waiting for approval',
  'waiting-input': 'Waiting for an answer',
  'waiting-external': 'Waiting for an event',
  completed: 'Completed',
  failed: 'Failed',
  cancelling: 'Cancelling',
  cancelled: 'Cancelled',
};

/** The classes of a look: its text and its ground. Tailwind finds only class names that are written out. */
export const LOOK_CLASSES: Readonly<Record<StatusLook, string>> = {
  pending: 'text-status-pending bg-status-pending-ground',
  running: 'text-status-running bg-status-running-ground',
  waiting: 'text-status-waiting bg-status-waiting-ground',
  paused: 'text-status-paused bg-status-paused-ground',
  completed: 'text-status-completed bg-status-completed-ground',
  failed: 'text-status-failed bg-status-failed-ground',
  cancelled: 'text-status-cancelled bg-status-cancelled-ground',
};

/** The colour of the text alone. */
export const LOOK_TEXT: Readonly<Record<StatusLook, string>> = {
  pending: 'text-status-pending',
  running: 'text-status-running',
  waiting: 'text-status-waiting',
  paused: 'text-status-paused',
  completed: 'text-status-completed',
  failed: 'text-status-failed',
  cancelled: 'text-status-cancelled',
};

/** The colour of a look, for drawings: `var(--running)`. */
export function lookColour(look: StatusLook): string {
  return `var(--${look})`;
}

export function lookGround(look: StatusLook): string {
  return `var(--${look}-ground)`;
}
