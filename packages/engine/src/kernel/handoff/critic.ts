import { type Json, type JsonObject, VERDICTS, type Verdict } from '@baton/protocol';
import { carryUsage } from '../agents/carry-usage.ts';
import { cancelRun } from '../ending.ts';
import { goesBy } from '../rules.ts';
import { endStatus, type Handoff, type Run } from '../run.ts';
import { emit, type WorkingRun, workingChild } from '../working-run.ts';
import { actorId, workflowActor } from './actor-id.ts';
import { planChild, refuseInputs, startChild } from './children.ts';
import type { Verifier } from './gate.ts';

/** A critic is a workflow whose variables `verdict`, `confidence` and `feedback` are its answer. */

const DEFAULT_TIMEOUT_MS = 5 * 60 * 1000;

interface Judgement {
  readonly verdict: Verdict;
  readonly confidence?: number;
  readonly feedback?: string;
}

/** A critic without a valid answer counts as a critic that answered `fail`. */
const NO_ANSWER: Judgement = { verdict: 'fail' };

type CriticStart = 'started' | 'impossible' | 'unknown';

/** Starts a child run for the critic. Its inputs are the outputs that it judges. */
export function startCritic(
  working: WorkingRun,
  nodeId: string,
  handoff: Handoff,
  verifier: Verifier,
  outputs: JsonObject,
): CriticStart {
  const critic = planChild(working, nodeId, verifier.workflowId);
  if (critic.kind === 'unknown') return 'unknown';
  const { workerId, attempt, childRunId } = handoff;
  if (critic.kind === 'refused' || childRunId === undefined) return 'impossible';
  const criteria: Json = [...(verifier.criteria ?? [])];
  const { principalScope: scopes } = verifier;
  const inputs = { outputs, criteria, workerId, attempt };
  const childStart = { inputs, as: 'inputs', role: 'critic', ...(scopes && { scopes }) } as const;
  if (refuseInputs(critic.workflow, childStart)) return 'impossible';
  const criticRunId = startChild(working, nodeId, critic.workflow, childStart, handoff.lastId);
  if (typeof criticRunId !== 'string') return 'impossible';
  const timeoutMs = verifier.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const worker = goesBy(working.run, 1) ? workingChild(working, childRunId) : undefined;
  emit(
    working,
    'baton.critic.started',
    {
      workerId,
      childRunId,
      criticRunId,
      attempt,
      timeoutMs,
      ...(worker && { actorId: actorId(worker.run) }),
    },
    nodeId,
    handoff.lastId,
  );
  return 'started';
}

/**
 * The critic's answer. `undefined` while the critic is running. A critic that exceeds its time is cancelled.
 */
export function judgement(working: WorkingRun, handoff: Handoff): Judgement | undefined {
  const critic = handoff.critic && workingChild(working, handoff.critic.runId);
  if (critic === undefined || handoff.critic === undefined) return NO_ANSWER;
  const { deadline } = handoff.critic;
  const status = endStatus(critic.run);
  if (status === 'completed' && critic.run.at < deadline) return answerOf(critic.run);
  if (status !== undefined) return NO_ANSWER;
  if (deadline > working.tree.world.now) return undefined;
  cancelRun(critic, { reason: 'critic-timeout', parentRunId: working.run.runId });
  return NO_ANSWER;
}

function answerOf({ variables }: Run): Judgement {
  const verdict = VERDICTS.find((known) => known === variables.verdict);
  if (verdict === undefined) return NO_ANSWER;
  const { confidence, feedback } = variables;
  const isSure = typeof confidence === 'number' && confidence >= 0 && confidence <= 1;
  // An invalid confidence makes the whole answer invalid.
  if (confidence !== undefined && confidence !== null && !isSure) return NO_ANSWER;
  return {
    verdict,
    ...(isSure && { confidence }),
    ...(typeof feedback === 'string' && { feedback }),
  };
}

/** Records the verdict, the critic and the judged run. The outputs are not recorded again. */
export function recordVerdict(
  working: WorkingRun,
  nodeId: string,
  handoff: Handoff,
  verifier: Verifier,
  given: Judgement,
): string {
  const { criteria } = verifier;
  const critic = handoff.critic && workingChild(working, handoff.critic.runId);
  if (critic) carryUsage(working, nodeId, critic.run);
  const payload = {
    agentId: criticId(working, handoff, verifier),
    target: handoff.childRunId ?? handoff.workerId,
    verdict: given.verdict,
    ...(criteria && criteria.length > 0 && { criteria: [...criteria] }),
    ...(given.confidence !== undefined && { confidence: given.confidence }),
  };
  return emit(working, 'agent.verified', payload, nodeId, handoff.lastId);
}

function criticId(working: WorkingRun, handoff: Handoff, verifier: Verifier): string {
  const critic = handoff.critic && workingChild(working, handoff.critic.runId);
  if (!goesBy(working.run, 1)) return critic?.run.agent?.agentId ?? `baton.critic.${verifier.workflowId}`;
  return critic === undefined ? workflowActor(verifier.workflowId) : actorId(critic.run);
}
