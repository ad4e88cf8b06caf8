import type { ScriptEntry } from '@baton/agents';
import type { AgentPackage, WorkflowDefinition } from '@baton/protocol';
import type { AgentDefinition } from '../builder/agent-definition.ts';
import type { ToolDefinition } from '../builder/tool.ts';
import type { Workflow } from '../builder/workflow-types.ts';
import type { Scripts } from './models.ts';

/** What a test is given: workflows, agents and tools, and how the world around them is. */

/** A workflow that was built, or its JSON. */
export type GivenWorkflow = Pick<Workflow, 'id' | 'variables' | 'toJSON'> | WorkflowDefinition;

/** An agent that was defined, or its manifest with its files. */
export type GivenAgent = AgentDefinition | AgentPackage;

interface Settings {
  readonly scripts?: Scripts;
  /** When the test begins. */
  readonly start?: number;
}

export type Part = GivenWorkflow | GivenAgent | ToolDefinition | { readonly settings: Settings };

/**
 * The answers of the model, by the id of the agent or of the node that asks. They replace the script of the agent. No
 * test asks the model of a vendor: an agent without a script gets the smallest answer that fits.
 *
 * @example
 * import { type AgentDefinition } from '@baton/client/builder';
 * import { ended, given, scripted } from '@baton/client/testing';
 *
 * export const check = (writer: AgentDefinition) =>
 *   given(writer, scripted({ [writer.id]: [{ json: { report: 'Owls hunt at night.' } }] }))
 *     .when({ question: 'When do owls hunt?' })
 *     .then(ended('completed'));
 */
export function scripted(scripts: Readonly<Record<string, readonly ScriptEntry[]>>): Part {
  return { settings: { scripts } };
}

/** The time at which the test begins. Without it, this is the beginning of 2026, in UTC. */
export function startingAt(time: string | Date): Part {
  const start = time === null ? Number.NaN : new Date(time).getTime();
  if (Number.isNaN(start))
    throw new TypeError(`"${String(time)}" is not a time. Write it as 2026-01-31T12:00:00Z.`);
  return { settings: { start } };
}

const START = Date.UTC(2026, 0, 1);

export interface SortedParts {
  readonly workflows: readonly WorkflowDefinition[];
  readonly agents: readonly AgentPackage[];
  readonly tools: readonly ToolDefinition[];
  readonly scripts: Scripts;
  readonly start: number;
}

export function sorted(parts: readonly Part[]): SortedParts {
  const settings = parts.flatMap((part) => ('settings' in part && isSettings(part) ? [part.settings] : []));
  return {
    workflows: parts.flatMap((part) => workflowIn(part) ?? []),
    agents: parts.flatMap((part) => agentIn(part) ?? []),
    tools: parts.filter((part): part is ToolDefinition => 'call' in part && 'parameters' in part),
    scripts: Object.assign({}, ...settings.map(({ scripts }) => scripts)) as Scripts,
    start: settings.find(({ start }) => start !== undefined)?.start ?? START,
  };
}

/** A definition of a workflow has settings too. */
function isSettings(part: object): part is { readonly settings: Settings } {
  return !('nodes' in part);
}

export function workflowIn(part: object): WorkflowDefinition | undefined {
  if ('nodes' in part) return part as WorkflowDefinition;
  return 'variables' in part && 'toJSON' in part ? (part as Workflow).toJSON() : undefined;
}

export function agentIn(part: object): AgentPackage | undefined {
  if ('manifest' in part) return part as AgentPackage;
  return 'persona' in part && 'toJSON' in part ? (part as AgentDefinition).toJSON() : undefined;
}
