import {
  DEFAULT_CONFIDENCE_THRESHOLD,
  decide,
  decidedIn,
  hasPlan,
  type NodeType,
  type NodeView,
  nextDecision,
  orchestratorId,
  supervisor,
} from '@baton/engine/extension';
import { Decision, type Json, type JsonObject } from '@baton/protocol';
import Type from 'typebox';

const Plan = Type.Optional(Type.Array(Decision, { maxItems: 100_000 }));

/** The names that the fixtures of the protocol have for a script, and for a decision that nobody is sure of. */
const MOCKS = {
  mockDispatchPlan: Plan,
  mockDecisions: Plan,
  mockConfidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  mockPendingDecision: Type.Optional(Decision),
};

/** The script of a supervisor without a plan: one worker, which is a fixture of the protocol, then `terminate`. */
const USUAL_SCRIPT: Json = [
  { kind: 'next-worker', nextWorkerIds: ['conformance-noop'] },
  { kind: 'terminate', reason: 'default-plan-finished' },
];

/** The product's node, with the options of the fixtures and a usual script. */
export const fixtureSupervisor: NodeType = {
  ...supervisor,
  config: Type.Object(
    { ...(supervisor.config as ReturnType<typeof Type.Object>).properties, ...MOCKS },
    { additionalProperties: false },
  ),
  check: (node) => supervisor.check?.({ ...node, config: scripted(node.config ?? {}) }) ?? [],
  start: (view) => {
    const own = withScript(view);
    const data = heldDecision(own, view.config.mockPendingDecision);
    if (data === undefined) return supervisor.start(own);
    return { do: 'ask', request: (key) => ({ kind: 'low-confidence', key, data }) };
  },
  answered: (view, answer) => {
    const isHeld =
      answer.outcome === 'answered' &&
      answer.request.kind === 'low-confidence' &&
      decidedIn(view.run, view.node.id) === undefined;
    // The person approved the decision that was shown, so it is not computed again.
    if (isHeld) return decide(answer.request.data.decision ?? null, view);
    return supervisor.answered?.(view, answer) ?? { do: 'complete' };
  },
};

function scripted({
  mockDispatchPlan,
  mockDecisions,
  mockPendingDecision,
  ...config
}: JsonObject): JsonObject {
  const pending = mockPendingDecision === undefined ? undefined : [mockPendingDecision];
  const script = config.script ?? mockDispatchPlan ?? mockDecisions ?? pending;
  return script === undefined ? config : { ...config, script };
}

function withScript(view: NodeView): NodeView {
  const own = { ...view, config: scripted(view.config) };
  return hasPlan(own) ? own : { ...own, config: { ...own.config, script: USUAL_SCRIPT } };
}

/** If the confidence is below the threshold, the decision is not recorded. It is shown to a person first. */
function heldDecision(view: NodeView, pending: Json | undefined) {
  const { config, run, node } = view;
  const observed = config.mockConfidence;
  const asked = run.configurable.escalationThreshold;
  const threshold = typeof asked === 'number' ? asked : DEFAULT_CONFIDENCE_THRESHOLD;
  if (typeof observed !== 'number' || observed >= threshold) return undefined;
  const next = nextDecision(view);
  if ('error' in next) return undefined;
  const agentId = node.agent?.agentId ?? orchestratorId(node.id);
  return { agentId, threshold, observed, decision: pending ?? next.decision };
}
