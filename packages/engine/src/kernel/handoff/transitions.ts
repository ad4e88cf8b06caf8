import type { ChainPhase, PayloadOf } from '@baton/protocol';
import type { Handoff } from '../run.ts';
import { emit, type WorkingRun } from '../working-run.ts';

type ChainDetails = Omit<PayloadOf<'core.workflowChain.event'>, 'phase' | 'workerId' | 'parentRunId'>;

/**
 * Records one transition of a handoff, caused by the transition before. While the capability for chain events
 * is switched off, only the end of a handoff is recorded, as `baton.worker.settled`.
 */
export function recordTransition(
  working: WorkingRun,
  nodeId: string,
  previous: Pick<Handoff, 'workerId' | 'lastId'>,
  phase: ChainPhase,
  details: ChainDetails = {},
): string {
  const { workerId, lastId } = previous;
  if (working.run.chainEvents) {
    const payload = { phase, workerId, parentRunId: working.run.runId, ...details };
    return emit(working, 'core.workflowChain.event', payload, nodeId, lastId);
  }
  const status = STATUS_WITHOUT_CHAIN[phase];
  if (status === undefined) return lastId;
  const { childRunId, error } = details;
  const payload = { workerId, status, ...(childRunId && { childRunId }), ...(error && { error }) };
  return emit(working, 'baton.worker.settled', payload, nodeId, lastId);
}

const STATUS_WITHOUT_CHAIN: Partial<Record<ChainPhase, 'completed' | 'failed' | 'cancelled'>> = {
  'dispatch.failed': 'failed',
  'child.completed': 'completed',
  'child.failed': 'failed',
  'child.cancelled': 'cancelled',
};
