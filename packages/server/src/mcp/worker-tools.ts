import { createHash } from 'node:crypto';
import { type Agent, isJsonObject, type JsonObject, type WorkflowVariable } from '@baton/protocol';
import type { Tool } from '@modelcontextprotocol/server';
import { publishedTo } from '../peers/published.ts';
import { type Skill, skillsFor } from '../published/skills.ts';
import type { McpCall } from './call.ts';

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

const LONGEST = 64;
const DIGEST = 12;

/** Names with this prefix are those of the tools that every host has. */
export const OWN_PREFIX = 'baton_';

/**
 * The name of the tool for a worker: `research-desk` for the workflow `research-desk`. It follows from the id alone, so
 * a tool keeps its name when others are published. If the id has characters that many clients refuse, is too long or
 * looks like a tool of the host, the name ends with a digest of the id: `local_acme_writer_0c1f…`.
 */
export function toolName(workerId: string): string {
  const isPlain = /^[a-zA-Z0-9_-]+$/.test(workerId) && workerId.length <= LONGEST;
  if (isPlain && !workerId.startsWith(OWN_PREFIX)) return workerId;
  const digest = createHash('sha256').update(workerId).digest('hex').slice(0, DIGEST);
  const readable = workerId.startsWith(OWN_PREFIX) ? `worker_${workerId}` : workerId;
  return `${readable.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, LONGEST - DIGEST - 1)}_${digest}`;
}
