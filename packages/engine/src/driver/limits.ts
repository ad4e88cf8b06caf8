import { AGENT_CHECKS, type AgentCheck, type RunLimits } from '@baton/protocol';
import { LOWEST_FLOOR } from '../kernel/people/escalation.ts';
import type { World } from '../kernel/working-run.ts';

/** The limits of the host. A run may ask for lower limits. */
export interface HostLimits extends RunLimits {
  readonly maxDepth: number;
  readonly eventBytes: number;
  /** At least 0.5. An operator may set a higher floor. */
  readonly confidenceFloor: number;
  /** The checks of agents that new runs make. */
  readonly agentChecks: readonly AgentCheck[];
  /** How many of the latest events a supervisor's turn is given. */
  readonly transcriptWindow: number;
  /** How many bytes a tenant may store. 0 means no limit. */
  readonly tenantBytes: number;
  /** How many effects of one kind are performed at once. */
  readonly effectsAtOnce: number;
}

/** The limits of the host as the kernel is given them. */
export function limitsOfWorld(
  limits: HostLimits,
): Pick<
  World,
  'limits' | 'maxDepth' | 'maxEventBytes' | 'confidenceFloor' | 'agentChecks' | 'transcriptWindow'
> {
  const { maxDepth, eventBytes, confidenceFloor, agentChecks, transcriptWindow } = limits;
  return { limits, maxDepth, maxEventBytes: eventBytes, confidenceFloor, agentChecks, transcriptWindow };
}

export const DEFAULT_LIMITS: HostLimits = {
  nodeExecutions: 1_000_000,
  durationMs: 365 * 24 * 60 * 60 * 1000,
  loopIterations: 100_000,
  expressionSteps: 500_000,
  stateCharacters: 4 * 1024 * 1024,
  variables: 5000,
  logEvents: 2_000_000,
  treeRuns: 1000,
  maxDepth: 16,
  eventBytes: 1024 * 1024,
  confidenceFloor: LOWEST_FLOOR,
  agentChecks: AGENT_CHECKS,
  transcriptWindow: 200,
  tenantBytes: 0,
  effectsAtOnce: 64,
};
