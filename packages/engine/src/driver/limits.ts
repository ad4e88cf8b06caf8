import type { RunLimits } from '@baton/protocol';
import { LOWEST_FLOOR } from '../kernel/people/escalation.ts';

/** The limits of the host. A run may ask for lower limits. */
export interface HostLimits extends Required<RunLimits> {
  readonly maxDepth: number;
  readonly eventBytes: number;
  /** At least 0.5. An operator may set a higher floor. */
  readonly confidenceFloor: number;
  /** How many of the latest events a supervisor's turn is given. */
  readonly transcriptWindow: number;
  /** How many bytes a tenant may store. 0 means no limit. */
  readonly tenantBytes: number;
  /** How many effects of one kind are performed at once. */
  readonly effectsAtOnce: number;
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
  transcriptWindow: 200,
  tenantBytes: 0,
  effectsAtOnce: 64,
};
