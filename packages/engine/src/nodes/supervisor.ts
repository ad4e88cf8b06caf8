import {
  Decision,
  type FieldProblem,
  invalid,
  isJsonObject,
  type Json,
  type JsonObject,
  problemWith,
  type RunError,
  runError,
  type WorkflowNode,
} from '@baton/protocol';
import Type from 'typebox';
import { isLiveSupervisor } from '../kernel/agents/live-supervisor.ts';
import { completeNode, failNode } from '../kernel/execute.ts';
import { decidedIn } from '../kernel/fold/evolve-interrupts.ts';
import { decideBy } from '../kernel/graph/decide.ts';
import { firstLine } from '../kernel/graph/expression.ts';
import { bindingsOf } from '../kernel/graph/inputs.ts';
import type { PlanNode } from '../kernel/graph/plan.ts';
import { criticsIn } from '../kernel/handoff/gate.ts';
import type { Act, NodeType, NodeView } from '../kernel/model.ts';
import { escalateBelowFloor, escalateUnresolved, escalateUnsureCritic } from '../kernel/people/escalation.ts';
import type { Decided } from '../kernel/run.ts';
import { emit, type WorkingRun } from '../kernel/working-run.ts';
import { openLate, takeOutcome } from './agent/agent-node.ts';
import { answerCall } from './agent/answered-call.ts';
import { answeredCall } from './agent/approval.ts';
import { prepareFor } from './agent/begin.ts';
import type { Conclusion } from './agent/critics/decision.ts';
import { proceedWithReview } from './agent/critics/review.ts';
import { invocationOf } from './agent/invocation.ts';
import { closeWithDecision, problemWithDecision } from './agent/live-decision.ts';
import { requestOfStep } from './agent/request.ts';
import { canRepeatCalls } from './agent/tool-calls.ts';
import { turnTask } from './agent/turn-task.ts';
import { tellSpent } from './model-answer.ts';

/**
 * Takes one turn and makes exactly one decision, by an expression (`settings.decide`) or by a script in its
 * config.
 */
export const supervisor: NodeType = {
  typeId: 'core.orchestrator.supervisor',
  config: Type.Object(
    {
      script: Type.Optional(
        Type.Array(Decision, {
          maxItems: 100_000,
          description:
            'The decisions of its turns, one after the other. After the last one it ends the loop.',
        }),
      ),
      /** The workers that a live supervisor can choose: workflows or agents. */
      workers: Type.Optional(
        Type.Array(
          Type.Object(
            {
              id: Type.String({ minLength: 1, maxLength: 256 }),
              description: Type.Optional(Type.String({ maxLength: 1000 })),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: 100 },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ settings, config, agent }) => {
    const text = settings?.decide;
    const isScripted = config?.script !== undefined;
    if (config?.workers !== undefined) {
      if (agent === undefined) return ['config.workers: needs "agent", which names the agent that decides'];
      if (isScripted) return ['config.workers: replaces config.script; leave one of them out'];
      if (text !== undefined) return ['config.workers: replaces settings.decide; leave one of them out'];
    }
    const judged = Object.keys(criticsIn({ settings }))[0];
    if (judged !== undefined && config?.workers === undefined)
      return [
        `settings.${judged}: needs config.workers, because only the decisions of an agent have critics`,
      ];
    if (text === undefined) return [];
    if (isScripted) return ['settings.decide: replaces config.script; leave one of them out'];
    try {
      decideBy(text);
      return [];
    } catch (problem) {
      return [`settings.decide: ${reasonOf(problem)}`];
    }
  },
  start: (view) => {
    if (isLiveSupervisor(view.node)) {
      const task = turnTask(view);
      return {
        do: 'act',
        act: (working, nodeId) => withNode(working, nodeId, (node) => prepareFor(working, node, { task })),
      };
    }
    const next = nextDecision(view);
    return 'error' in next ? { do: 'fail', ...next } : decide(next.decision, view);
  },
  outcome: (settled) => takeOutcome(settled, deciding),
  proceed: (working, nodeId) => {
    const node = working.plan.nodes.get(nodeId);
    const invocation = node && invocationOf(working, node);
    return invocation !== undefined && proceedWithReview(invocation, deciding);
  },
  spent: tellSpent,
  failing: openLate,
  request: requestOfStep,
  checkAnswer: ({ run }, nodeId, value) => {
    if (value.action !== 'edit-accept' || decidedIn(run, nodeId) === undefined) return;
    const problem = problemWith(Decision, value.editedArtifactData) ?? statedConfidence(value);
    if (problem) throw invalid('resumeValue.editedArtifactData', problem);
  },
  canRepeat: canRepeatCalls,
  answered: (view, answer) => {
    const call = answeredCall(answer);
    if (call) return { do: 'act', act: (working, nodeId) => answerCall(working, nodeId, call) };
    const decided = decidedIn(view.run, view.node.id);
    if (decided !== undefined && answer.outcome !== 'timeout') {
      // The fold has kept the decision, replaced it by the edit, or dropped it for another turn.
      return { do: 'act', act: (working, nodeId) => conclude(working, nodeId, decided) };
    }
    const error = runError(answer.outcome === 'timeout' ? 'interrupt_timeout' : 'approval_rejected');
    return { do: 'fail', error, retryable: false };
  },
};

function withNode(working: WorkingRun, nodeId: string, act: (node: PlanNode) => void): void {
  const node = working.plan.nodes.get(nodeId);
  if (node) act(node);
}

/** Uses the decision of a live supervisor. */
const deciding: Conclusion = {
  problem: ({ node }, result) => problemWithDecision(result, node.config),
  use(invocation, result, { isCriticUnsure }) {
    const { working, node } = invocation;
    const decision = result as unknown as Decision;
    closeWithDecision(invocation, result, isCriticUnsure);
    carryOut(working, node.id, node.node, decision, causeOfTurn(working, node.id), isCriticUnsure);
  },
};

/**
 * A confidence belongs to a decision of the supervisor. A decision that a person edited must not state one.
 */
function statedConfidence({ editedArtifactData: edited }: JsonObject): FieldProblem | undefined {
  if (!isJsonObject(edited) || edited.confidence === undefined) return undefined;
  return { field: 'confidence', problem: 'must be left out: an edit states no confidence' };
}

/** The decision of the expression, or else of the script. */
export function nextDecision(view: NodeView): { readonly decision: Json } | { readonly error: RunError } {
  const { node, run, inputs, config, execution, turn, meter } = view;
  const text = node.settings?.decide;
  if (text === undefined || turn === undefined) return { decision: scriptedDecision(config, execution) };
  const scope = bindingsOf(run);
  try {
    const given = { ...scope, inputs: { ...scope.inputs, ...inputs }, turn };
    return { decision: decideBy(text).evaluate(given, meter) };
  } catch (problem) {
    return { error: runError('expression_failed', `"decide" of node "${node.id}": ${reasonOf(problem)}`) };
  }
}

function reasonOf(problem: unknown): string {
  return firstLine(problem instanceof Error ? problem.message : String(problem));
}

/** Whether the supervisor has an expression or a script. Without both, its first turn ends the loop. */
export function hasPlan({ node, config }: NodeView): boolean {
  return node.settings?.decide !== undefined || config.script !== undefined;
}

const EXHAUSTED: Json = { kind: 'terminate', reason: 'plan-exhausted' };

function scriptedDecision(config: JsonObject, turnOfNode: number): Json {
  const script = Array.isArray(config.script) ? (config.script as readonly Json[]) : [];
  return script[turnOfNode - 1] ?? EXHAUSTED;
}

/** Records the decision before any node acts on it. An invalid decision fails the node. */
export function decide(given: Json, view: NodeView): Act {
  return {
    do: 'act',
    act: (working: WorkingRun, nodeId: string) => {
      const problem = problemWith(Decision, given);
      const planNode = working.plan.nodes.get(nodeId);
      if (problem !== undefined || !isJsonObject(given)) {
        const field = problem?.field ?? '';
        const message = `The supervisor's decision is not valid: ${field} ${problem?.problem ?? ''}`.trim();
        if (planNode) failNode(working, planNode, runError('invalid_decision', message, { field }), false);
        return;
      }
      const decision = given as unknown as Decision;
      carryOut(working, nodeId, view.node, decision, causeOfTurn(working, nodeId));
    },
  };
}

/** The start of the turn. The first turn of a run that another host asked for is caused by that host. */
function causeOfTurn({ run }: WorkingRun, nodeId: string): string | undefined {
  return run.origin !== undefined && run.originTold === undefined ? undefined : run.nodes[nodeId]?.startedId;
}

function carryOut(
  working: WorkingRun,
  nodeId: string,
  node: WorkflowNode,
  decision: Decision,
  cause: string | undefined,
  isCriticUnsure = false,
): void {
  const decidedId = record(working, nodeId, { node }, decision, cause);
  if (escalateBelowFloor(working, nodeId, decision, decidedId)) return;
  if (isCriticUnsure) escalateUnsureCritic(working, nodeId, decision);
  else if (!escalateUnresolved(working, nodeId, decision)) conclude(working, nodeId, decision.kind);
}

function record(
  working: WorkingRun,
  nodeId: string,
  { node }: Pick<NodeView, 'node'>,
  decision: Decision,
  cause?: string,
): string {
  const agentId = working.run.orchestrator?.agentId ?? node.agent?.agentId ?? orchestratorId(nodeId);
  const iteration = working.run.iteration + 1;
  return emit(working, 'runOrchestrator.decided', { agentId, decision, iteration }, nodeId, cause);
}

function conclude(working: WorkingRun, nodeId: string, kind: Decided): void {
  completeNode(working, nodeId, { kind, iteration: working.run.iteration });
}

export function orchestratorId(nodeId: string): string {
  return `baton.supervisor.${nodeId}`.slice(0, 256);
}
