import { agentShelf, modelCalls, performEffects, preparing, toolCalls } from '@baton/agents';
import {
  type Effects,
  MODEL_CALL,
  type Models,
  PREPARE,
  TOOL_CALL,
  type Tools,
  type WorkflowReads,
} from '@baton/engine/ports';

interface EffectParts {
  readonly reads: WorkflowReads;
  readonly models: Models;
  readonly tools: Tools;
  readonly now: () => number;
}

/** Performs the effects of agents as a host does, with the models and tools of the test. */
export function effectsInProcess({ reads, models, tools, now }: EffectParts): Effects {
  const shelf = agentShelf(reads);
  return performEffects(
    {
      [MODEL_CALL]: modelCalls(models),
      [PREPARE]: preparing({
        agents: () => shelf,
        models: { resolve: () => ({ provider: 'scripted', model: 'script' }) },
        tools,
      }),
      [TOOL_CALL]: toolCalls(tools, now),
    },
    () => undefined,
  );
}
