import type { EventOf, RunUsage } from '@baton/protocol';
import { type AskedTool, TOOL_CALL } from '../../ports/agent-effects.ts';
import { NOTHING_USED, plus } from '../budgets/usage.ts';
import { own } from '../graph/own.ts';
import { type EffectStep, effectSteps, isPending, type Run, setWait } from '../run.ts';
import { agentDecided, changed, invocationBegun } from './evolve-review.ts';
import { type TellingEvent, unchanged } from './unchanged.ts';

/** The part of the fold for agents: which invocation a node is in, and what was used. */

type AgentEvent = EventOf<
  | 'agent.invocation.started'
  | 'agent.invocation.completed'
  | 'agent.decided'
  | 'agent.reasoning.delta'
  | 'agent.toolCalled'
  | 'provider.usage'
  | 'baton.usage.carried'
  | 'budget.reserved'
>;

/** Folds the events of agents. All other events that come here change nothing. */
export function evolveAgent(run: Run, event: AgentEvent | TellingEvent, at: number): Run {
  switch (event.type) {
    case 'agent.invocation.started':
      return invocationBegun(run, event, at);
    case 'agent.invocation.completed':
      return invocationCompleted(run, event);
    case 'agent.decided':
      return agentDecided(run, event);
    case 'agent.reasoning.delta':
      return reasoningDelta(run, event);
    case 'agent.toolCalled':
      return event.payload.made === false ? run : used(run, event.payload.agentId, toolCallsUsed(1));
    case 'provider.usage':
      return usageTold(run, event);
    case 'baton.usage.carried':
      return usageCarried(run, event);
    case 'budget.reserved':
      return budgetReserved(run, event);
    default:
      return unchanged(run, event);
  }
}

function invocationCompleted(run: Run, event: EventOf<'agent.invocation.completed'>): Run {
  return changed(run, event.nodeId, ({ invocation: _closed, ...state }) => state);
}

/** Only one model call of a node is under way at a time, so the part belongs to it. */
function reasoningDelta(run: Run, { nodeId }: EventOf<'agent.reasoning.delta'>): Run {
  if (nodeId === undefined) return run;
  const steps = effectSteps(run, nodeId);
  if (!steps.some(isPending)) return run;
  const counted = steps.map((step) => (isPending(step) ? { ...step, deltas: (step.deltas ?? 0) + 1 } : step));
  return setWait(run, nodeId, { for: 'effects', steps: counted });
}

function usageTold(run: Run, { nodeId, payload }: EventOf<'provider.usage'>): Run {
  const { inputTokens, outputTokens, costEstimateUsd, cacheHit } = payload;
  // An answer from the cache has cost nothing.
  if (cacheHit) return run;
  const state = nodeId === undefined ? undefined : run.nodes[nodeId];
  const agentId = state?.status === 'running' ? state.invocation?.agentId : undefined;
  const cost = costEstimateUsd === undefined ? {} : { costUsd: costEstimateUsd };
  return used(run, agentId, { inputTokens, outputTokens, toolCalls: 0, ...cost });
}

function toolCallsUsed(toolCalls: number): RunUsage {
  return { ...NOTHING_USED, toolCalls };
}

/**
 * The budget of the tenant did not allow the tool calls that the node wants to make at once. They were counted when
 * they were intended, and none of them was made.
 */
export function toolCallsRefused(run: Run, nodeId: string): Run {
  const state = run.nodes[nodeId];
  const agentId = state?.status === 'running' ? state.invocation?.agentId : undefined;
  const refused = effectSteps(run, nodeId).filter((step) => isPending(step) && isCountedCall(step));
  return refused.length === 0 ? run : used(run, agentId, toolCallsUsed(-refused.length));
}

/** A call that is repeated with the key of the first call was counted with the first call. */
function isCountedCall({ effect }: EffectStep): boolean {
  return effect.kind === TOOL_CALL && (effect.request as unknown as AskedTool).key === undefined;
}

function usageCarried(run: Run, { payload }: EventOf<'baton.usage.carried'>): Run {
  const { childRunId: _child, ...usage } = payload;
  return { ...run, usage: plus(run.usage, usage) };
}

/** A call of the run itself. It counts for the budget of the agent that made it, if there is one. */
function used(run: Run, agentId: string | undefined, more: RunUsage): Run {
  const { agents, usage, spent, spentBy } = run;
  const counted = { ...run, usage: plus(usage, more), spent: plus(spent, more) };
  if (agentId === undefined) return counted;
  const before = own(agents, agentId);
  return {
    ...counted,
    spentBy: { ...spentBy, [agentId]: plus(own(spentBy, agentId), more) },
    ...(before && { agents: { ...agents, [agentId]: { ...before, usage: plus(before.usage, more) } } }),
  };
}

function budgetReserved(run: Run, { eventId, nodeId, payload }: EventOf<'budget.reserved'>): Run {
  if (payload.scope === 'run') return { ...run, reserved: { eventId, limits: payload.effectiveBudget } };
  const state = nodeId === undefined ? undefined : run.nodes[nodeId];
  const agentId = state?.status === 'running' ? state.invocation?.agentId : undefined;
  if (agentId === undefined) return run;
  return { ...run, agents: { ...run.agents, [agentId]: { eventId, usage: NOTHING_USED } } };
}
