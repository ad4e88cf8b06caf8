export const RUN_STATUSES = [
  'pending',
  'running',
  'paused',
  'waiting-approval',
  'waiting-input',
  'waiting-external',
  'completed',
  'failed',
  'cancelling',
  'cancelled',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];
export type TerminalStatus = 'completed' | 'failed' | 'cancelled';

export function isTerminal(status: string): status is TerminalStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

export function isWaiting(status: string): boolean {
  return status.startsWith('waiting-');
}
