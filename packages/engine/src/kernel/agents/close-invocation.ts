import type { InvocationOutcome, PayloadOf } from '@baton/protocol';
import { emit, type WorkingRun } from '../working-run.ts';

type Ending = Omit<PayloadOf<'agent.invocation.completed'>, 'invocationId' | 'agentId' | 'outcome'>;

/** Records the end of the invocation that a node is in. It is the last event of an agent's invocation. */
export function closeInvocation(
  working: WorkingRun,
  nodeId: string,
  outcome: InvocationOutcome,
  more: Ending = {},
): string | undefined {
  const state = working.run.nodes[nodeId];
  if (state?.status !== 'running' || state.invocation === undefined) return undefined;
  const { id: invocationId, agentId } = state.invocation;
  return emit(working, 'agent.invocation.completed', { invocationId, agentId, outcome, ...more }, nodeId);
}
