import { durationDeadline } from './limits.ts';
import { criticAtWork, effectSteps, isEnded, type Run } from './run.ts';

/**
 * The next time at which this run must be looked at, although no event arrived. `undefined` after it has
 * ended. While the run or a run above it is paused, only the limit on its duration counts.
 */
export function nextDeadline(run: Run, held: boolean): number | undefined {
  if (isEnded(run)) return undefined;
  let next = durationDeadline(run);
  if (held) return next;
  for (const nodeId of run.active) {
    const state = run.nodes[nodeId];
    if (state?.status === 'retrying') next = Math.min(next, state.until);
    if (state?.status !== 'running') continue;
    if (state.deadline !== undefined) next = Math.min(next, state.deadline);
    if (state.wait.for === 'time') next = Math.min(next, state.wait.until);
    // Other runs need not be looked at for the next try of an effect: the driver begins it.
    if (run.fork?.mode === 'replay')
      for (const { until } of effectSteps(run, nodeId)) next = Math.min(next, until ?? next);
    next = Math.min(next, criticAtWork(state)?.deadline ?? next);
    const critic = state.wait.for === 'workers' ? state.wait.handoff : undefined;
    if (critic?.state === 'verifying') next = Math.min(next, critic.critic?.deadline ?? next);
  }
  for (const key in run.interrupts) {
    const expiresAt = run.interrupts[key]?.expiresAt;
    if (expiresAt !== undefined) next = Math.min(next, expiresAt);
  }
  return next;
}
