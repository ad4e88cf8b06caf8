import type { InterruptKind, RunStatus } from '@baton/protocol';
import { isWaiting } from '@baton/protocol';
import { liveChildren, type Run } from './run.ts';

const WAITING_FOR: Record<InterruptKind, RunStatus> = {
  approval: 'waiting-approval',
  'low-confidence': 'waiting-approval',
  clarification: 'waiting-input',
  custom: 'waiting-input',
  'external-event': 'waiting-external',
};

/**
 * The public status. If all active nodes wait for children and the first child waits, it is that child's
 * status.
 */
export function statusOf(run: Run, childOf: (runId: string) => Run | undefined): RunStatus {
  switch (run.phase.kind) {
    case 'ended':
      return run.phase.status;
    case 'paused':
      return 'paused';
    case 'draining':
    case 'running':
      break;
  }
  for (const key in run.interrupts) {
    const open = run.interrupts[key];
    if (open) return WAITING_FOR[open.request.kind];
  }
  const children = liveChildren(run);
  if (children.length === 0 || children.length < run.active.length) return 'running';
  const first = children[0] && childOf(children[0].childRunId);
  const status = first && statusOf(first, childOf);
  return status !== undefined && isWaiting(status) ? status : 'running';
}
