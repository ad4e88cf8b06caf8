import { type Agent, isJsonObject, type JsonObject, type WorkflowVariable } from '@baton/protocol';
import type { Tool } from '@modelcontextprotocol/server';
import { publishedTo } from '../peers/published.ts';
import { type Skill, skillsFor } from '../published/skills.ts';
import type { McpCall } from './call.ts';
import { toolName } from './tool-names.ts';

/** The workflows and agents that a caller may use, as tools. */

export async function workersFor({ host, identity }: McpCall): Promise<readonly Skill[]> {
  return skillsFor(host.reads, identity.tenant, [...publishedTo(identity, host.settings)]);
}

export function workerTool(worker: Skill): Tool {
  const { id, definition, agent } = worker;
  const title = agent?.label ?? agent?.persona ?? definition.name;
  return {
    name: toolName(id),
    ...(title !== undefined && { title }),
    description: agent?.description ?? definition.description ?? `Runs ${id}.`,
    inputSchema: agent ? agentInputs(agent) : workflowInputs(definition.variables ?? []),
  };
}

type InputSchema = Tool['inputSchema'];
type Properties = InputSchema['properties'];

function workflowInputs(variables: readonly WorkflowVariable[]): InputSchema {
  const required = variables.filter((one) => one.required === true && one.defaultValue === undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(variables.map((one) => [one.name, inputOf(one)])) as Properties,
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
  };
}

/** A variable of the type `object` takes any JSON value. The default of a sensitive variable is not told. */
function inputOf({ type, description, defaultValue, sensitive }: WorkflowVariable): JsonObject {
  return {
    ...(type !== 'object' && { type }),
    ...(description !== undefined && { description }),
    ...(defaultValue !== undefined && sensitive !== true && { default: defaultValue }),
  };
}

function agentInputs({ taskSchema = { type: 'string' } }: Agent): InputSchema {
  // A reference of the schema would point to another place here. The host checks the task against the whole schema.
  const task = hasReference(taskSchema as JsonObject)
    ? { description: 'The task of the agent.' }
    : taskSchema;
  return { type: 'object', properties: { task } as Properties, required: ['task'] };
}

function hasReference(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasReference);
  if (!isJsonObject(value)) return false;
  return '$ref' in value || '$dynamicRef' in value || Object.values(value).some(hasReference);
}
