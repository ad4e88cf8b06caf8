import {
  type Budget,
  type BudgetDimension,
  type CapKind,
  type RunError,
  type RunUsage,
  runError,
} from '@baton/protocol';
import { isEnded } from '../../kernel/run.ts';
import { emit, type WorkingRun } from '../../kernel/working-run.ts';
import type { Invocation } from './invocation.ts';

/** What an invocation may use. Each call is checked before it is intended. */

const CAP_OF: Readonly<Record<BudgetDimension, CapKind>> = {
  tokens: 'budget-tokens',
  cost: 'budget-cost',
  toolCalls: 'budget-tool-calls',
};

const NOTHING: RunUsage = { inputTokens: 0, outputTokens: 0, toolCalls: 0 };

/** The error when the run may not make another call of this kind. The exhaustion is recorded. */
export function overBudget(invocation: Invocation, next: 'model' | 'tool'): RunError | undefined {
  const { working, node, agent } = invocation;
  const { configurable } = working.run;
  const budgets: readonly [Budget | undefined, RunUsage][] = [
    [configurable.budget as Budget | undefined, usageOfTree(working)],
    [agent.budget, working.run.usage ?? NOTHING],
  ];
  for (const [budget, usage] of budgets) {
    const found = budget && exhausted(budget, usage, next);
    if (found === undefined) continue;
    const { dimension, consumed, limit } = found;
    const cause = emit(working, 'budget.exhausted', { dimension, consumed, limit }, node.id);
    const breach = { kind: CAP_OF[dimension], limit, observed: consumed, nodeId: node.id };
    emit(working, 'cap.breached', breach, node.id, cause);
    const message = `The budget allows ${limit} (${dimension}), and ${consumed} are used.`;
    return runError('budget_exhausted', message, { dimension, limit, consumed });
  }
  return undefined;
}

/** The budget of a root holds for all its descendants together. What ended runs used is in their parents. */
function usageOfTree({ tree }: WorkingRun): RunUsage {
  let total = NOTHING;
  for (const { run } of tree.runs.values()) {
    if (isEnded(run) || run.usage === undefined) continue;
    const { inputTokens, outputTokens, toolCalls, costUsd } = run.usage;
    const cost = costUsd === undefined ? total.costUsd : (total.costUsd ?? 0) + costUsd;
    total = {
      inputTokens: total.inputTokens + inputTokens,
      outputTokens: total.outputTokens + outputTokens,
      toolCalls: total.toolCalls + toolCalls,
      ...(cost !== undefined && { costUsd: cost }),
    };
  }
  return total;
}

interface Exhausted {
  readonly dimension: BudgetDimension;
  readonly consumed: number;
  readonly limit: number;
}

function exhausted(budget: Budget, usage: RunUsage, next: 'model' | 'tool'): Exhausted | undefined {
  const { maxTokens, maxCostUsd, maxToolCalls } = budget;
  const tokens = usage.inputTokens + usage.outputTokens;
  const { costUsd = 0, toolCalls } = usage;
  if (maxTokens !== undefined && tokens >= maxTokens)
    return { dimension: 'tokens', consumed: tokens, limit: maxTokens };
  if (maxCostUsd !== undefined && costUsd >= maxCostUsd && usage.costUsd !== undefined)
    return { dimension: 'cost', consumed: costUsd, limit: maxCostUsd };
  if (next === 'tool' && maxToolCalls !== undefined && toolCalls >= maxToolCalls)
    return { dimension: 'toolCalls', consumed: toolCalls, limit: maxToolCalls };
  return undefined;
}

/** Why the budget does not allow the model, if it does not. A denied model stays denied if it is also allowed. */
export function deniedModel({ working, agent, ready }: Invocation): RunError | undefined {
  const named = `${ready.provider}/${ready.model}`;
  for (const budget of [working.run.configurable.budget as Budget | undefined, agent.budget]) {
    const isDenied = budget?.modelDeny?.some((pattern) => matches(pattern, ready.model, named)) ?? false;
    const isAllowed =
      budget?.modelAllow === undefined ||
      budget.modelAllow.some((pattern) => matches(pattern, ready.model, named));
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

/** How often in a row an agent may call a tool with the same arguments, if its budget does not say. */
const MOST_EQUAL_CALLS = 5;

export function mostEqualCalls({ agent, working }: Invocation): number {
  const run = working.run.configurable.budget as Budget | undefined;
  const limits = [run?.maxEqualCalls, agent.budget?.maxEqualCalls].filter((limit) => limit !== undefined);
  return limits.length > 0 ? Math.min(...limits) : MOST_EQUAL_CALLS;
}
