import type { WorkflowDefinition, WorkflowNode } from '@baton/protocol';

/** A supervisor with an agent and a list of workers is live, unless its decisions are scripted or computed. */
export function isLiveSupervisor({
  agent,
  config,
  settings,
}: Pick<WorkflowNode, 'agent' | 'config' | 'settings'>): boolean {
  return agent !== undefined && Array.isArray(config?.workers) && settings?.decide === undefined;
}

/**
 * The most turns of a run with a live supervisor, if its caller sets no `maxLoopIterations`. Every turn costs
 * tokens, and a model that repeats a failing step does not stop by itself.
 */
const TURNS_WITH_MODELS = 100;

export function usualTurns({ nodes }: WorkflowDefinition): number {
  return nodes.some(isLiveSupervisor) ? TURNS_WITH_MODELS : Number.POSITIVE_INFINITY;
}
