import type { AgentCheck } from '@baton/protocol';
import type { Run } from '../../kernel/run.ts';

/**
 * Whether the run makes this check. A run keeps the checks of the host at its start for its whole life, so that a
 * restart with other settings, a replay and a child agree with its log.
 */
export function checks({ agentChecks }: Pick<Run, 'agentChecks'>, check: AgentCheck): boolean {
  return agentChecks === undefined || agentChecks.includes(check);
}
