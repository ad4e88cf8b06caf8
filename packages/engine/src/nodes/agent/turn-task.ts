import type { Budget, Json, JsonObject, RunUsage } from '@baton/protocol';
import type { NodeView } from '../../kernel/model.ts';
import { workersOf } from './result-schema.ts';

/** The task of a live supervisor: all that its turn is given, in a fixed order. */

const LONGEST_VALUE = 4000;

export function turnTask({ config, inputs, run, turn = {} }: NodeView): JsonObject {
  const { iteration, memory, workspace, transcript, goalsNotMet } = turn;
  const budget = remaining(run.configurable.budget as Budget | undefined, run.usage);
  return {
    ...(Object.keys(inputs).length > 0 && { inputs: shortened(inputs) }),
    iteration: iteration ?? run.iteration + 1,
    turnsLeft: Math.max(0, run.limits.loopIterations - run.iteration),
    workers: workersOf(config) as unknown as Json,
    variables: shortened(run.variables),
    goalsNotMet: goalsNotMet ?? [],
    ...(budget && { remainingBudget: budget }),
    memory: memory ?? [],
    workspace: Array.isArray(workspace) ? workspace.map((file) => shortened(file as JsonObject)) : [],
    transcript: transcript ?? [],
  };
}

/** Long values are cut, and the cut is told. The worker that made the value has the whole of it. */
function shortened(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      if (text.length <= LONGEST_VALUE) return [name, value];
      return [name, `${text.slice(0, LONGEST_VALUE)}… (${text.length - LONGEST_VALUE} more characters)`];
    }),
  );
}

function remaining(budget: Budget | undefined, usage: RunUsage | undefined): JsonObject | undefined {
  if (budget === undefined) return undefined;
  const { maxTokens, maxCostUsd, maxToolCalls } = budget;
  const { inputTokens = 0, outputTokens = 0, toolCalls = 0, costUsd = 0 } = usage ?? {};
  return {
    ...(maxTokens !== undefined && { tokens: Math.max(0, maxTokens - inputTokens - outputTokens) }),
    ...(maxCostUsd !== undefined && { costUsd: Math.max(0, maxCostUsd - costUsd) }),
    ...(maxToolCalls !== undefined && { toolCalls: Math.max(0, maxToolCalls - toolCalls) }),
  };
}
