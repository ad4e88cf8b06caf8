import { Decision, type Json, type JsonObject, problemWith } from '@baton/protocol';
import { closeInvocation } from '../../kernel/agents/close-invocation.ts';
import { statedConfidence } from './critics/decision.ts';
import type { Invocation } from './invocation.ts';
import { workersOf } from './result-schema.ts';

/** The decision of a supervisor that thinks with a model. */

/** Why the decision cannot be used, in words for the model. */
export function problemWithDecision(given: Json, config: JsonObject): string | undefined {
  const problem = problemWith(Decision, given);
  if (problem) return `${problem.field === '' ? 'the decision' : problem.field} ${problem.problem}`;
  const decision = given as unknown as Decision;
  if (decision.kind !== 'next-worker') return undefined;
  const known = workersOf(config).map(({ id }) => id);
  const stranger = decision.nextWorkerIds.find((id) => !known.includes(id));
  if (stranger === undefined) return undefined;
  return `nextWorkerIds names a worker that is not in the list; the workers are ${known.join(', ')}`;
}

/** Closes the invocation with the decision. The supervisor then records the decision and acts on it. */
export function closeWithDecision(
  { working, node }: Invocation,
  decision: Json,
  isCriticUnsure: boolean,
): void {
  const outcome = isCriticUnsure ? 'escalated' : 'completed';
  closeInvocation(working, node.id, outcome, { schemaValidated: true, ...statedConfidence(decision) });
}
