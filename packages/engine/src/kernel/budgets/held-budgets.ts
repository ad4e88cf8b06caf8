import type { Agent, Budget, RunUsage } from '@baton/protocol';
import { isEnded } from '../run.ts';
import type { WorkingRun } from '../working-run.ts';
import { NOTHING_USED, plus } from './usage.ts';

/** A budget that holds for the calls of a node, and what was used of it so far. */
export interface HeldBudget {
  readonly scope: 'run' | 'agent';
  readonly budget: Budget;
  readonly usage: RunUsage;
  /** The event with which the budget began to hold.  */
  readonly reservedId?: string;
}

type Budgeted = Pick<Agent, 'agentId' | 'budget'>;

/**
 * The budget of the root, which holds for all runs of the tree together, and that of the agent, which counts the
 * calls of this agent in this run.
 */
export function heldBudgets(working: WorkingRun, agent?: Budgeted): readonly HeldBudget[] {
  const { run, tree } = working;
  const ofRun = run.configurable.budget as Budget | undefined;
  const held: HeldBudget[] = [];
  if (ofRun !== undefined) {
    const root = tree.runs.get(tree.rootId)?.run;
    held.push({ scope: 'run', budget: ofRun, usage: usageOfTree(working), ...reservedBy(root?.reserved) });
  }
  if (agent?.budget !== undefined) {
    const own = run.agents?.[agent.agentId];
    held.push({
      scope: 'agent',
      budget: agent.budget,
      usage: own?.usage ?? NOTHING_USED,
      ...reservedBy(own),
    });
  }
  return held;
}

function reservedBy(reserved: { readonly eventId: string } | undefined): { readonly reservedId?: string } {
  return reserved === undefined ? {} : { reservedId: reserved.eventId };
}

/** What all runs of the tree used. What ended runs used is in the usage of their parents. */
function usageOfTree({ tree }: WorkingRun): RunUsage {
  let total = NOTHING_USED;
  for (const { run } of tree.runs.values()) {
    if (!isEnded(run) && run.usage !== undefined) total = plus(total, run.usage);
  }
  return total;
}
