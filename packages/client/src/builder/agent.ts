import type { AgentManifest, AgentPackage, Json, JsonObject, ModelClass } from '@baton/protocol';
import type { AgentDefinition } from './agent-definition.ts';
import { type Critic, type CriticWorker, verifierOf } from './gate.ts';
import { jsonSchemaOf, type Schema } from './schema.ts';
import type { ToolDefinition } from './tool.ts';

/** Settings that are written into the manifest unchanged. */
type HostSettings = Pick<
  NonNullable<AgentManifest['baton']>,
  | 'model'
  | 'temperature'
  | 'maxOutputTokens'
  | 'maxToolRounds'
  | 'attempts'
  | 'budget'
  | 'approvalTimeoutMs'
  | 'packName'
  | 'packVersion'
>;

type Described = Pick<
  AgentManifest,
  'persona' | 'label' | 'description' | 'memoryShape' | 'confidence' | 'requiresCapabilities'
>;

export interface AgentOptions<Task, Result> extends HostSettings, Described {
  /** For example `local.desk.writer`. */
  readonly id: string;
  readonly modelClass: ModelClass;
  /** The system prompt. */
  readonly prompt: string;
  /** The schema of the work that the agent is given. */
  readonly task?: Schema<Task, unknown>;
  /** The schema of the result, which the model has to follow. */
  readonly result?: Schema<unknown, Result>;
  /** Tools that the agent may call: definitions, or ids such as `baton:calculate` and `mcp:web/*`. */
  readonly tools?: readonly (string | ToolDefinition)[];
  /** The critic of the results. */
  readonly critic?: CriticWorker | Critic;
  /** Critics of the results of tools, by the id of the tool. */
  readonly toolCritics?: Readonly<Record<string, CriticWorker | Critic>>;
  /** Agents that this agent can hand its work to. */
  readonly handoffs?: readonly (string | AgentDefinition)[];
  /** The answers of the scripted provider, one for each model call. */
  readonly script?: readonly Json[];
}

/**
 * Defines an agent. Its task and its result have the types of their schemas, so mappings to the agent are checked.
 *
 * @example
 * import { defineAgent } from '@baton/client/builder';
 * import * as z from 'zod';
 *
 * export const writer = defineAgent({
 *   id: 'local.desk.writer',
 *   persona: 'Writer',
 *   modelClass: 'writing',
 *   prompt: 'Write a short report from the findings that you are given.',
 *   task: z.object({ question: z.string(), findings: z.array(z.string()) }),
 *   result: z.object({ report: z.string() }),
 *   tools: ['baton:calculate'],
 * });
 */
export function defineAgent<Task = unknown, Result = unknown>(
  options: AgentOptions<Task, Result>,
): AgentDefinition<Task, Result> {
  const made = packageOf(options as AgentOptions<unknown, unknown>);
  const { id, persona, description } = options;
  return {
    id,
    persona,
    ...(description !== undefined && { description }),
    toJSON: () => structuredClone(made),
  };
}

const TASK = 'schemas/task.json';
const RESULT = 'schemas/result.json';

function packageOf(options: AgentOptions<unknown, unknown>): AgentPackage {
  const { id, persona, modelClass, label, description, prompt, task, result, tools, ...rest } = options;
  const { memoryShape, confidence, requiresCapabilities, ...settings } = rest;
  const files: Record<string, JsonObject> = {
    ...(task && { [TASK]: jsonSchemaOf(task, 'input', `task of ${id}`) }),
    ...(result && { [RESULT]: jsonSchemaOf(result, 'output', `result of ${id}`) }),
  };
  const baton = hostSettings(settings);
  const manifest: AgentManifest = {
    agentId: id,
    persona,
    modelClass,
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    systemPrompt: prompt,
    ...((task || result) && {
      handoff: { ...(task && { taskSchemaRef: TASK }), ...(result && { returnSchemaRef: RESULT }) },
    }),
    ...(tools && { toolAllowlist: tools.map((tool) => (typeof tool === 'string' ? tool : tool.id)) }),
    ...(requiresCapabilities && { requiresCapabilities }),
    ...(memoryShape && { memoryShape }),
    ...(confidence && { confidence }),
    ...(Object.keys(baton).length > 0 && { baton }),
  };
  return { manifest, ...(Object.keys(files).length > 0 && { files }) };
}

type BatonSettings = NonNullable<AgentManifest['baton']>;

function hostSettings({
  critic,
  toolCritics,
  handoffs,
  script,
  ...settings
}: HostSettings &
  Pick<AgentOptions<unknown, unknown>, 'critic' | 'toolCritics' | 'handoffs' | 'script'>): BatonSettings {
  const judged = Object.entries(toolCritics ?? {}).map(([tool, one]) => [tool, verifierOf(one)]);
  const made: BatonSettings = {
    ...settings,
    ...(critic !== undefined && { verifier: verifierOf(critic) }),
    ...(toolCritics && { toolVerifiers: Object.fromEntries(judged) }),
    ...(handoffs && {
      handoffs: handoffs.map((agent) => ({ agentId: typeof agent === 'string' ? agent : agent.id })),
    }),
    ...(script && { script: [...script] }),
  };
  return JSON.parse(JSON.stringify(made)) as BatonSettings;
}

/**
 * The files of an agent in a folder of `BATON_AGENTS`, by their paths: `agent.json`, and the schemas that it names.
 *
 * @example
 * import { agentFiles, type AgentDefinition } from '@baton/client/builder';
 * import { mkdirSync, writeFileSync } from 'node:fs';
 * import { dirname, join } from 'node:path';
 *
 * export function write(folder: string, agent: AgentDefinition) {
 *   for (const [path, text] of Object.entries(agentFiles(agent))) {
 *     mkdirSync(dirname(join(folder, path)), { recursive: true });
 *     writeFileSync(join(folder, path), text);
 *   }
 * }
 */
export function agentFiles(agent: AgentDefinition): Readonly<Record<string, string>> {
  const { manifest, files = {} } = agent.toJSON();
  const texts = Object.entries({ 'agent.json': manifest as unknown as Json, ...files });
  return Object.fromEntries(texts.map(([path, value]) => [path, `${JSON.stringify(value, null, 2)}\n`]));
}
