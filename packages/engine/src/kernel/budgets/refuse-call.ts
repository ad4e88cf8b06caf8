import { type Agent, type Budget, type RunError, type RunUsage, runError } from '@baton/protocol';
import { emit, type WorkingRun } from '../working-run.ts';
import { CAP_OF, type Use, usesOf } from './dimensions.ts';
import { heldBudgets } from './held-budgets.ts';

/** Each call is checked against the budgets before it is intended. */

/**
 * The error when a budget does not allow another call of this kind, or so many tool calls at once. The exhaustion is
 * recorded.
 */
export function overBudget(
  working: WorkingRun,
  nodeId: string,
  agent: Agent | undefined,
  next: 'model' | 'tool',
  calls = 1,
): RunError | undefined {
  for (const { scope, budget, usage, reservedId } of heldBudgets(working, agent)) {
    const found = usesOf(budget, withFreeCost(budget, usage)).find(({ dimension, consumed, limit }) =>
      dimension === 'toolCalls' ? next === 'tool' && consumed + calls > limit : consumed >= limit,
    );
    if (found === undefined) continue;
    tellExhausted(working, nodeId, found, scope === 'agent' ? { scope } : {}, reservedId);
    const { dimension, consumed, limit } = found;
    const more = dimension === 'toolCalls' && calls > 1 ? `, and the model asks for ${calls} at once` : '';
    const message = `The budget allows ${limit} (${dimension}), and ${consumed} are used${more}.`;
    return runError('budget_exhausted', message, { dimension, limit, consumed });
  }
  return undefined;
}

/** A budget of 0 US dollars allows no call at all, so it is used up before the price of a call is known. */
function withFreeCost({ maxCostUsd }: Budget, usage: RunUsage): RunUsage {
  return maxCostUsd === 0 ? { ...usage, costUsd: usage.costUsd ?? 0 } : usage;
}

type Whose = { readonly scope?: 'agent' | 'tenant'; readonly period?: 'day' | 'month' };

export function tellExhausted(
  working: WorkingRun,
  nodeId: string,
  { dimension, consumed, limit }: Use,
  whose: Whose,
  reservedId?: string,
): void {
  const cause = emit(working, 'budget.exhausted', { dimension, consumed, limit }, nodeId, reservedId);
  const breach = { kind: CAP_OF[dimension], limit, observed: consumed, nodeId, ...whose };
  emit(working, 'cap.breached', breach, nodeId, cause);
}

interface Target {
  readonly provider: string;
  readonly model: string;
}

/** Why a budget does not allow the model, if it does not. A denied model stays denied if it is also allowed. */
export function deniedModel(
  { run }: WorkingRun,
  agent: Agent | undefined,
  { provider, model }: Target,
): RunError | undefined {
  const named = `${provider}/${model}`;
  for (const budget of [run.configurable.budget as Budget | undefined, agent?.budget]) {
    const isDenied = budget?.modelDeny?.some((pattern) => matches(pattern, model, named)) ?? false;
    const isAllowed =
      budget?.modelAllow === undefined || budget.modelAllow.some((pattern) => matches(pattern, model, named));
    if (isDenied || !isAllowed) return runError('budget_model_denied', undefined, { model: named });
  }
  return undefined;
}

function matches(pattern: string, ...names: readonly string[]): boolean {
  const parts = pattern.split('*');
  return names.some((name) => fits(name, parts));
}

/** `*` stands for any characters. Compared part by part, so that no pattern takes long. */
function fits(name: string, [first = '', ...rest]: readonly string[]): boolean {
  if (rest.length === 0) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
