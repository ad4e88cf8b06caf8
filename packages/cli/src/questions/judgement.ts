import type { Baton } from '@baton/client';
import type { EventOf, RunEvent, WaitingInterrupt } from '@baton/protocol';

/** What a critic said about the artifact that a person is asked about. */
export interface Judgement {
  readonly critic: string;
  readonly verdict: string;
  readonly criteria: readonly string[];
  readonly confidence?: number;
  readonly feedback?: string;
}

/** The last verdict at the node before the question. Its feedback is a variable of the critic's run. */
export async function judgementIn(
  baton: Baton,
  log: readonly RunEvent[],
  { nodeId }: WaitingInterrupt,
): Promise<Judgement | undefined> {
  const verified = log.findLast(
    (event): event is EventOf<'agent.verified'> => event.type === 'agent.verified' && event.nodeId === nodeId,
  );
  if (verified === undefined) return undefined;
  const { agentId, verdict, criteria = [], confidence, target } = verified.payload;
  const started = log.findLast(
    (event): event is EventOf<'baton.critic.started'> =>
      event.type === 'baton.critic.started' &&
      event.nodeId === nodeId &&
      (event.payload.target ?? event.payload.childRunId) === target,
  );
  const feedback = started && (await feedbackOf(baton, started.payload.criticRunId));
  return {
    critic: agentId,
    verdict,
    criteria,
    ...(confidence !== undefined && { confidence }),
    ...(feedback !== undefined && { feedback }),
  };
}

async function feedbackOf(baton: Baton, criticRunId: string): Promise<string | undefined> {
  const { variables } = await baton.run(criticRunId).snapshot();
  const { feedback } = variables;
  return typeof feedback === 'string' && feedback !== '' ? feedback : undefined;
}
