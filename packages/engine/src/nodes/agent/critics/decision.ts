import { isJsonObject, type Json } from '@baton/protocol';
import { emit } from '../../../kernel/working-run.ts';
import type { Invocation } from '../invocation.ts';
import { verifierOf } from './verifiers.ts';

/** The decision of an invocation. It is used at once, or after a critic has passed it. */

/** How a node uses the result of its agent: an agent node delivers it, a supervisor acts on it. */
export interface Conclusion {
  /** Why the result cannot be used, in words for the model. */
  problem?(invocation: Invocation, result: Json): string | undefined;
  /** Closes the invocation and uses the result. */
  use(invocation: Invocation, result: Json, decided: MadeDecision): void;
}

export interface MadeDecision {
  /** The event of the decision. */
  readonly eventId: string;
  /** A critic passed the decision with a confidence below the floor, so a person decides. */
  readonly isCriticUnsure: boolean;
}

/** Records the decision. Answers with the reason why the result cannot be used, if it cannot. */
export function decide(invocation: Invocation, result: Json, conclusion: Conclusion): string | undefined {
  const problem = conclusion.problem?.(invocation, result);
  if (problem !== undefined) return problem;
  const { working, node, agent } = invocation;
  const payload = { agentId: agent.agentId, decision: result, ...statedConfidence(result) };
  const eventId = emit(working, 'agent.decided', payload, node.id);
  // The critic is started in a step of its own, because its workflow may have to be looked up.
  if (verifierOf(invocation) === undefined)
    conclusion.use(invocation, result, { eventId, isCriticUnsure: false });
  return undefined;
}

/** The confidence that the agent states in its result. */
export function statedConfidence(result: Json): { readonly confidence?: number } {
  if (!isJsonObject(result) || typeof result.confidence !== 'number') return {};
  const { confidence } = result;
  return confidence >= 0 && confidence <= 1 ? { confidence } : {};
}
