import type { EventOf, RunUsage } from '@baton/protocol';
import { effectSteps, isPending, type NodeState, type Run, setWait } from '../run.ts';
import { grown, withMember } from './grow.ts';
import { type TellingEvent, unchanged } from './unchanged.ts';

/** The part of the fold for agents: which invocation a node is in, and what was used. */

type AgentEvent = EventOf<
  | 'agent.invocation.started'
  | 'agent.invocation.completed'
  | 'agent.reasoning.delta'
  | 'agent.toolCalled'
  | 'provider.usage'
  | 'baton.usage.carried'
>;

/** Folds the events of agents. All other events that come here change nothing. */
export function evolveAgent(run: Run, event: AgentEvent | TellingEvent, at: number): Run {
  switch (event.type) {
    case 'agent.invocation.started':
      return invocationStarted(run, event, at);
    case 'agent.invocation.completed':
      return invocationCompleted(run, event);
    case 'agent.reasoning.delta':
      return reasoningDelta(run, event);
    case 'agent.toolCalled':
      return added(run, { inputTokens: 0, outputTokens: 0, toolCalls: 1, costUsd: undefined });
    case 'provider.usage':
      return usageTold(run, event);
    case 'baton.usage.carried':
      return usageCarried(run, event);
    default:
      return unchanged(run, event);
  }
}

function invocationStarted(run: Run, event: EventOf<'agent.invocation.started'>, at: number): Run {
  const { invocationId: id, agentId } = event.payload;
  return changed(run, event.nodeId, (state) => ({ ...state, invocation: { id, agentId, startedAt: at } }));
}

function invocationCompleted(run: Run, event: EventOf<'agent.invocation.completed'>): Run {
  return changed(run, event.nodeId, ({ invocation: _closed, ...state }) => state);
}

type Running = Extract<NodeState, { status: 'running' }>;

function changed(run: Run, nodeId: string | undefined, change: (state: Running) => Running): Run {
  const state = nodeId === undefined ? undefined : run.nodes[nodeId];
  if (nodeId === undefined || state?.status !== 'running') return run;
  return { ...run, nodes: withMember(run.nodes, nodeId, change(state)) };
}

/** Only one model call of a node is under way at a time, so the part belongs to it. */
function reasoningDelta(run: Run, { nodeId }: EventOf<'agent.reasoning.delta'>): Run {
  if (nodeId === undefined) return run;
  const steps = effectSteps(run, nodeId);
  if (!steps.some(isPending)) return run;
  const counted = steps.map((step) => (isPending(step) ? { ...step, deltas: (step.deltas ?? 0) + 1 } : step));
  return setWait(run, nodeId, { for: 'effects', steps: counted });
}

const NOTHING: RunUsage = { inputTokens: 0, outputTokens: 0, toolCalls: 0 };

function usageTold(run: Run, { payload }: EventOf<'provider.usage'>): Run {
  const { inputTokens, outputTokens, costEstimateUsd, cacheHit } = payload;
  // An answer from the cache has cost nothing.
  if (cacheHit) return run;
  return added(run, { inputTokens, outputTokens, toolCalls: 0, costUsd: costEstimateUsd });
}

function usageCarried(run: Run, { payload }: EventOf<'baton.usage.carried'>): Run {
  const { inputTokens, outputTokens, toolCalls, costUsd } = payload;
  return added(run, { inputTokens, outputTokens, toolCalls, costUsd });
}

function added(run: Run, more: Omit<RunUsage, 'costUsd'> & { readonly costUsd: number | undefined }): Run {
  const { usage = NOTHING } = run;
  const costUsd = more.costUsd === undefined ? usage.costUsd : rounded((usage.costUsd ?? 0) + more.costUsd);
  return grown(run, {
    usage: {
      inputTokens: usage.inputTokens + more.inputTokens,
      outputTokens: usage.outputTokens + more.outputTokens,
      toolCalls: usage.toolCalls + more.toolCalls,
      ...(costUsd !== undefined && { costUsd }),
    },
  });
}

/** Sums of fractions differ in their last digits, so costs have at most ten decimals. */
function rounded(usd: number): number {
  return Math.round(usd * 1e10) / 1e10;
}
