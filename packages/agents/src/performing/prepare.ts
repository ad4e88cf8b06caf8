import {
  type Needs,
  type Prepared,
  type PrepareRequest,
  REMEMBER,
  type ToolDescriptor,
  type Tools,
} from '@baton/engine/ports';
import { type Json, type RunError, runError } from '@baton/protocol';
import type { AgentShelf } from './agent-shelf.ts';
import { handoffTools } from './handoff-tools.ts';
import type { Performer } from './perform-effects.ts';

/** Chooses the provider and the model for a class of models. */
interface ModelChoice {
  resolve(
    modelClass: string,
    override?: { readonly provider?: string; readonly model?: string },
  ): { readonly provider: string; readonly model: string } | undefined;
}

interface PreparingParts {
  readonly agents: () => AgentShelf | undefined;
  readonly models: ModelChoice;
  readonly tools: Pick<Tools, 'surface'>;
}

/** Prepares an agent for one invocation: its version, its model, and the tools that it may call. */
export function preparing({ agents, models, tools }: PreparingParts): Performer {
  return async ({ request, tenant }) => {
    const asked = request as unknown as PrepareRequest;
    const shelf = agents();
    const found = asked.own ? undefined : await shelf?.asOf(tenant, asked.agentId, asked.asOf);
    const needs: Needs | undefined = asked.own ?? found?.agent;
    if (needs === undefined) {
      return outcome({ problem: runError('agent_not_found', `No agent "${asked.agentId}" is registered.`) });
    }
    const chosen = models.resolve(needs.modelClass, { ...splitModel(needs.model), ...asked.ai });
    if (chosen === undefined) return outcome({ problem: noModel(needs.modelClass, asked.ai) });
    const surface = await tools.surface(tenant, needs.toolAllowlist ?? []);
    const handoffs = await handoffTools(needs, (agentId) => shelf?.newest(tenant, agentId));
    return outcome({
      ...(found && { agent: found.agent, version: found.agent.packVersion }),
      ...chosen,
      tools: [...surface.tools, ...handoffs, ...memoryTools(needs)],
      degraded: [...surface.degraded],
    });
  };
}

function outcome(outputs: Prepared) {
  return { kind: 'done' as const, outputs: outputs as unknown as Readonly<Record<string, Json>> };
}

function noModel(modelClass: string, ai: PrepareRequest['ai']): RunError {
  const message = ai
    ? 'configurable.ai names a provider that is not connected, or no model of it; GET /v1/models lists the providers.'
    : `No model is set up for the class "${modelClass}"; name one in the file of BATON_MODELS.`;
  return runError('capability_not_provided', message);
}

/** `openai/gpt-5` is the model `gpt-5` of the provider `openai`. */
function splitModel(named: string | undefined): { readonly provider?: string; readonly model?: string } {
  const at = named?.indexOf('/') ?? -1;
  return named === undefined || at === -1 ? {} : { provider: named.slice(0, at), model: named.slice(at + 1) };
}

function memoryTools({ memoryShape = {} }: Needs): readonly ToolDescriptor[] {
  if (memoryShape.longTerm !== true && memoryShape.scratchpad !== true) return [];
  return [
    {
      id: REMEMBER,
      name: 'remember',
      description: 'Remembers a short text for later. The same key replaces an earlier text.',
      parameters: {
        type: 'object',
        required: ['text'],
        properties: {
          text: { type: 'string', minLength: 1, maxLength: 4000 },
          key: { type: 'string', maxLength: 256 },
        },
        additionalProperties: false,
      },
      transport: 'native',
      repeatable: 'yes',
    },
  ];
}
