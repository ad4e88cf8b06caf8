import {
  Decision,
  invalid,
  isJsonObject,
  type Json,
  type JsonObject,
  problemWith,
  runError,
} from '@baton/protocol';
import Type from 'typebox';
import { completeNode, failNode } from '../kernel/execute.ts';
import { decidedIn } from '../kernel/fold/evolve-interrupts.ts';
import type { Act, Finish, NodeType, NodeView } from '../kernel/node-type.ts';
import { escalateBelowFloor, escalateUnresolved } from '../kernel/people/escalation.ts';
import type { Decided } from '../kernel/run.ts';
import { emit, type Turn } from '../kernel/turn.ts';
import { DEFAULT_CONFIDENCE_THRESHOLD } from './confidence.ts';

const Plan = Type.Optional(Type.Array(Decision, { maxItems: 100_000 }));

/** Takes one turn and yields exactly one decision. Plans are scripted here; models answer the same way. */
export const supervisor: NodeType = {
  typeId: 'core.orchestrator.supervisor',
  config: Type.Object(
    {
      mockDispatchPlan: Plan,
      mockDecisions: Plan,
      mockConfidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      mockPendingDecision: Type.Optional(Decision),
    },
    { additionalProperties: false },
  ),
  start: (view) => {
    const held = heldDecision(view);
    if (held === undefined) return decide(scriptedDecision(view.config, view.execution), view);
    return { do: 'ask', request: (key) => ({ kind: 'low-confidence', key, data: held }) };
  },
  checkAnswer: ({ run }, nodeId, value) => {
    if (value.action !== 'edit-accept' || decidedIn(run, nodeId) === undefined) return;
    const problem = problemWith(Decision, value.editedArtifactData);
    if (problem) throw invalid('resumeValue.editedArtifactData', problem);
  },
  answered: (view, answer) => {
    const decided = decidedIn(view.run, view.node.id);
    if (decided !== undefined && answer.outcome !== 'timeout') {
      return afterEscalation(view, decided, answer.value, answer.resolvedId);
    }
    if (answer.outcome === 'answered') return decide(pendingDecision(view), view);
    const error = runError(answer.outcome === 'timeout' ? 'interrupt_timeout' : 'approval_rejected');
    return { do: 'fail', error, retryable: false };
  },
};

/** The decision stands, is replaced by the person's own, or is dropped for another turn. */
function afterEscalation(
  view: NodeView,
  decided: Decided,
  value: JsonObject,
  resolvedId: string,
): Finish | Act {
  if (value.action === 'edit-accept') {
    return {
      do: 'act',
      act: (turn, nodeId) => {
        const decision = value.editedArtifactData as unknown as Decision;
        record(turn, nodeId, view, decision, resolvedId);
        conclude(turn, nodeId, decision.kind);
      },
    };
  }
  return { do: 'act', act: (turn, nodeId) => conclude(turn, nodeId, decided) };
}

/** Below its own threshold a supervisor does not decide: a person looks at what it would have decided. */
function heldDecision(view: NodeView) {
  const { config, run, node } = view;
  const observed = config.mockConfidence;
  const asked = run.configurable.escalationThreshold;
  const threshold = typeof asked === 'number' ? asked : DEFAULT_CONFIDENCE_THRESHOLD;
  if (typeof observed !== 'number' || observed >= threshold) return undefined;
  const decision = pendingDecision(view);
  const agentId = node.agent?.agentId ?? orchestratorId(node.id);
  return { agentId, threshold, observed, decision };
}

/** What the supervisor would decide in this turn, were it sure. */
function pendingDecision({ config, execution }: NodeView): Json {
  return config.mockPendingDecision ?? scriptedDecision(config, execution);
}

/** The host's own plan, for a supervisor without one: one worker, then the end. */
const DEFAULT_PLAN: readonly Json[] = [
  { kind: 'next-worker', nextWorkerIds: ['conformance-noop'] },
  { kind: 'terminate', reason: 'default-plan-finished' },
];

const EXHAUSTED: Json = { kind: 'terminate', reason: 'plan-exhausted' };

export function scriptedDecision(config: JsonObject, turnOfNode: number): Json {
  const plan = config.mockDispatchPlan ?? config.mockDecisions ?? config.mockPendingDecision ?? DEFAULT_PLAN;
  if (!Array.isArray(plan)) return turnOfNode === 1 ? (plan as Json) : EXHAUSTED;
  return (plan[turnOfNode - 1] as Json | undefined) ?? EXHAUSTED;
}

/** Records the decision before anything acts on it. What is not a decision is never routed. */
function decide(given: Json, view: NodeView): Act {
  return {
    do: 'act',
    act: (turn: Turn, nodeId: string) => {
      const problem = problemWith(Decision, given);
      const planNode = turn.plan.nodes.get(nodeId);
      if (problem !== undefined || !isJsonObject(given)) {
        const field = problem?.field ?? '';
        const message = `The supervisor's decision is not valid: ${field} ${problem?.problem ?? ''}`.trim();
        if (planNode) failNode(turn, planNode, runError('invalid_decision', message, { field }), false);
        return;
      }
      const decision = given as unknown as Decision;
      const decidedId = record(turn, nodeId, view, decision, turn.run.nodes[nodeId]?.startedId);
      if (escalateBelowFloor(turn, nodeId, decision, decidedId)) return;
      if (!escalateUnresolved(turn, nodeId, decision)) conclude(turn, nodeId, decision.kind);
    },
  };
}

function record(turn: Turn, nodeId: string, { node }: NodeView, decision: Decision, cause?: string): string {
  const agentId = turn.run.orchestrator?.agentId ?? node.agent?.agentId ?? orchestratorId(nodeId);
  const iteration = turn.run.iteration + 1;
  return emit(turn, 'runOrchestrator.decided', { agentId, decision, iteration }, nodeId, cause);
}

function conclude(turn: Turn, nodeId: string, kind: Decided): void {
  completeNode(turn, nodeId, { kind, iteration: turn.run.iteration });
}

function orchestratorId(nodeId: string): string {
  return `baton.supervisor.${nodeId}`.slice(0, 256);
}
