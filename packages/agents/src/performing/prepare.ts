import {
  handoffTool,
  type Needs,
  type Prepared,
  type PrepareRequest,
  REMEMBER,
  type ToolDescriptor,
  type Tools,
} from '@baton/engine/ports';
import { type Agent, digest, type Json, type RunError, runError } from '@baton/protocol';
import type { AgentShelf } from './agent-shelf.ts';
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
    if (chosen === undefined) return outcome({ problem: noModel(needs, asked.ai) });
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

function noModel({ modelClass, model }: Needs, ai: PrepareRequest['ai']): RunError {
  const { provider } = splitModel(model);
  const listed = 'GET /v1/models lists the providers.';
  if (ai?.provider !== undefined || (ai && provider === undefined)) {
    const message = `configurable.ai names a provider that is not connected, or no model of it; ${listed}`;
    return runError('capability_not_provided', message);
  }
  const message =
    provider === undefined
      ? `No model is set up for the class "${modelClass}"; name one in the file of BATON_MODELS.`
      : `The manifest names the model "${model}", and no provider "${provider}" is connected; ${listed}`;
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

const TASK = { type: 'object', required: ['task'], properties: { task: { type: 'string' } } };

/**
 * One tool for each agent that the work can be handed to. Its arguments are the task of that agent. It describes the
 * newest version of the agent, because the run of the other agent begins with the newest version, as every run does.
 */
export async function handoffTools(
  { handoffs = [] }: Needs,
  newest: (agentId: string) => Promise<Agent | undefined> | undefined,
): Promise<readonly ToolDescriptor[]> {
  const targets = [...new Set(handoffs.map(({ agentId }) => agentId))];
  const found = await Promise.all(targets.map(newest));
  return found.flatMap((agent): ToolDescriptor[] => {
    if (agent === undefined) return [];
    const { agentId, persona, description, taskSchema } = agent;
    return [
      {
        id: handoffTool(agentId),
        name: nameFor(agentId),
        description: `Hands the work to ${persona}. ${description ?? ''}`.trim(),
        parameters: taskSchema ?? TASK,
        transport: 'native',
        repeatable: 'yes',
      },
    ];
  });
}

const LONGEST = 64;
const DIGEST = 12;

/**
 * `handoff_to_local_desk_expert` for `local.desk.expert`. The name of an agent whose id is too long, or has an
 * underscore, ends with a digest of the id: `local.a_b.c` and `local.a.b_c` would have the same name.
 */
function nameFor(agentId: string): string {
  const plain = `handoff_to_${agentId.replaceAll('.', '_')}`;
  if (plain.length <= LONGEST && !agentId.includes('_')) return plain;
  return `${plain.slice(0, LONGEST - DIGEST - 1)}_${digest(agentId).slice(0, DIGEST)}`;
}
