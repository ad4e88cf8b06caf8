import { type Json, type JsonObject, type ToolVerifier, VERDICTS, type Verdict } from '@baton/protocol';
import { carryUsage } from '../agents/carry-usage.ts';
import { cancelRun } from '../ending.ts';
import { recordedAbout } from '../replay/source.ts';
import { type CriticRun, endStatus, type Run } from '../run.ts';
import { emit, type WorkingRun, workingChild } from '../working-run.ts';
import { actorId, workflowActor } from './actor-id.ts';
import { planChild, refuseInputs, startChild } from './children.ts';

/** A critic is a workflow whose variables `verdict`, `confidence` and `feedback` are its answer. */

const DEFAULT_TIMEOUT_MS = 5 * 60 * 1000;

export interface Judgement {
  readonly verdict: Verdict;
  readonly confidence?: number;
  readonly feedback?: string;
  /** Why there is no answer of the critic. */
  readonly missing?: string;
}

/** A critic without a valid answer counts as a critic that answered `fail`. */
const without = (missing: string): Judgement => ({ verdict: 'fail', missing });

export const NOT_STARTED = without('it could not be started');
const NO_VERDICT = without('its answer is no verdict');

/** The work that a critic judges: a child run, the decision of an agent, or the result of a tool call. */
export interface JudgedWork {
  /** A child run, the event of a decision, or the id of a tool call. */
  readonly target: string;
  readonly workerId: string;
  /** From 1. The attempt after a `revise` has the next number. */
  readonly attempt: number;
  /** The event that brought the work. */
  readonly cause: string;
  readonly critic?: CriticRun;
}

/** What a critic is given. */
interface Exhibit {
  readonly outputs: JsonObject;
  /** Who did the work. */
  readonly actorId?: string;
  /** Set when the work is that of a child run. */
  readonly childRunId?: string;
}

type CriticStart = 'started' | 'impossible' | 'unknown';

/** Starts a child run for the critic. Its inputs are the outputs that it judges. */
export function startCritic(
  working: WorkingRun,
  nodeId: string,
  work: JudgedWork,
  verifier: ToolVerifier,
  { outputs, actorId: actor, childRunId }: Exhibit,
): CriticStart {
  // A replay starts a critic only where its source did, even if other workflows are registered now.
  const recorded = recordedAbout(working, nodeId, 'agent.verified', 'baton.critic.started');
  if (recorded === 'unknown') return 'unknown';
  if (recorded?.type === 'agent.verified') return 'impossible';
  const critic = planChild(working, nodeId, verifier.workflowId);
  if (critic.kind === 'unknown') return 'unknown';
  if (critic.kind === 'refused') return 'impossible';
  const { target, workerId, attempt, cause } = work;
  const criteria: Json = [...(verifier.criteria ?? [])];
  const { principalScope: scopes } = verifier;
  const inputs = { outputs, criteria, workerId, attempt };
  const childStart = { inputs, as: 'inputs', role: 'critic', ...(scopes && { scopes }) } as const;
  if (refuseInputs(critic.workflow, childStart)) return 'impossible';
  const criticRunId = startChild(working, nodeId, critic.workflow, childStart, cause);
  if (typeof criticRunId !== 'string') return 'impossible';
  const timeoutMs = verifier.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  emit(
    working,
    'baton.critic.started',
    {
      workerId,
      ...(childRunId === undefined ? { target } : { childRunId }),
      criticRunId,
      attempt,
      timeoutMs,
      ...(actor !== undefined && { actorId: actor }),
    },
    nodeId,
    cause,
  );
  return 'started';
}

/**
 * The critic's answer. `undefined` while the critic is running. A critic that exceeds its time is cancelled.
 */
export function judgement(working: WorkingRun, asked: CriticRun | undefined): Judgement | undefined {
  const critic = asked && workingChild(working, asked.runId);
  if (critic === undefined || asked === undefined) return NOT_STARTED;
  const { deadline } = asked;
  const status = endStatus(critic.run);
  if (status === 'completed' && critic.run.at < deadline) return answerOf(critic.run);
  if (status === 'completed') return without('it did not answer in time');
  if (status !== undefined) return without(`its run is ${status}`);
  if (deadline > working.tree.world.now) return undefined;
  cancelRun(critic, { reason: 'critic-timeout', parentRunId: working.run.runId });
  return without('it did not answer in time');
}

function answerOf({ variables }: Run): Judgement {
  const verdict = VERDICTS.find((known) => known === variables.verdict);
  if (verdict === undefined) return NO_VERDICT;
  const { confidence, feedback } = variables;
  const isSure = typeof confidence === 'number' && confidence >= 0 && confidence <= 1;
  // An invalid confidence makes the whole answer invalid.
  if (confidence !== undefined && confidence !== null && !isSure) return NO_VERDICT;
  return {
    verdict,
    ...(isSure && { confidence }),
    ...(typeof feedback === 'string' && { feedback }),
  };
}

/** Records the verdict, the critic and the judged work. The outputs are not recorded again. */
export function recordVerdict(
  working: WorkingRun,
  nodeId: string,
  { target, critic: asked, cause }: JudgedWork,
  verifier: ToolVerifier,
  given: Judgement,
): string {
  const { criteria } = verifier;
  const critic = asked && workingChild(working, asked.runId);
  if (critic) carryUsage(working, nodeId, critic.run);
  const payload = {
    agentId: critic === undefined ? workflowActor(verifier.workflowId) : actorId(critic.run),
    target,
    verdict: given.verdict,
    ...(criteria && criteria.length > 0 && { criteria: [...criteria] }),
    ...(given.confidence !== undefined && { confidence: given.confidence }),
  };
  return emit(working, 'agent.verified', payload, nodeId, cause);
}
