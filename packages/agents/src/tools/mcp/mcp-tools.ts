import type { ToolDescriptor } from '@baton/engine/ports';
import {
  brokenSchema,
  isJsonObject,
  type JsonObject,
  nearest,
  storableJson,
  wellFormed,
} from '@baton/protocol';
import { matches, modelName } from '../tool-ids.ts';
import { cut } from '../tool-results.ts';
import type { McpServerConfig, Repeatable } from '../tools-config.ts';

/** The tools that an MCP server lists. The list is data from outside: each tool is checked by itself. */

/** A tool under its name on the server, which can differ from the name that the model is told. */
export interface ListedTool {
  readonly name: string;
  readonly descriptor: ToolDescriptor;
}

export interface Listing {
  readonly tools: readonly ListedTool[];
  /** What is wrong with tools that are left out. */
  readonly leftOut: readonly string[];
  readonly misnamed: readonly MisnamedTool[];
}

export const MAX_LISTED_TOOLS = 1_000;
const MAX_DESCRIPTION = 4_000;

/** No spaces and no invisible characters. With `*` a name could pass for all tools of the server. */
const NAME = /^[^\p{C}\p{Z}*]{1,128}$/u;

export function readListing(config: McpServerConfig, listed: readonly unknown[]): Listing {
  const tools = new Map<string, ListedTool>();
  const leftOut: string[] = [];
  for (const given of listed) {
    const read = readTool(config, given);
    if ('problem' in read) leftOut.push(read.problem);
    else if (tools.has(read.descriptor.name)) leftOut.push(`a tool is named ${read.name}, like another one`);
    else tools.set(read.descriptor.name, read);
  }
  const names = [...tools.values()].map(({ name }) => name);
  return {
    tools: [...tools.values()],
    leftOut: leftOut.slice(0, 20),
    misnamed: misnamedTools(config, names),
  };
}

function readTool(config: McpServerConfig, given: unknown): ListedTool | { readonly problem: string } {
  const tool = plain(given);
  const name = tool?.name;
  if (tool === undefined || typeof name !== 'string' || !NAME.test(name)) {
    return { problem: 'a tool has no name, or one with spaces, invisible characters or *' };
  }
  const parameters = tool.inputSchema;
  if (!isJsonObject(parameters) || parameters.type !== 'object') {
    return { problem: `${name} does not say that its arguments are an object` };
  }
  const broken = brokenSchema(parameters);
  if (broken !== undefined)
    return { problem: `the schema of the arguments of ${name} cannot be used: ${cut(broken, 200)}` };
  return { name, descriptor: descriptorOf(config, name, tool, parameters) };
}

function plain(given: unknown): JsonObject | undefined {
  try {
    const value = wellFormed(storableJson(given));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function descriptorOf(
  config: McpServerConfig,
  name: string,
  tool: JsonObject,
  parameters: JsonObject,
): ToolDescriptor {
  const id = `mcp:${config.name}/${name}`;
  const { description, outputSchema } = tool;
  const usable = isJsonObject(outputSchema) && brokenSchema(outputSchema) === undefined;
  const scopes = [...(own(config.scopes, '*') ?? []), ...(own(config.scopes, name) ?? [])];
  const approved = config.approval.includes('*') || config.approval.includes(name);
  return {
    id,
    name: modelName(id),
    ...(typeof description === 'string' && { description: cut(description, MAX_DESCRIPTION) }),
    parameters,
    ...(usable && { returns: outputSchema }),
    transport: 'mcp',
    repeatable: own(config.repeatable, name) ?? repeatableBy(tool.annotations),
    ...(approved && { approval: 'always' }),
    ...(scopes.length > 0 && { scopes: [...new Set(scopes)] }),
  };
}

function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function repeatableBy(annotations: unknown): Repeatable {
  if (!isJsonObject(annotations)) return 'unknown';
  return annotations.readOnlyHint === true || annotations.idempotentHint === true ? 'yes' : 'unknown';
}

/** A name in the settings of an MCP server that no tool of the server has. */
interface MisnamedTool {
  readonly name: string;
  readonly problem: string;
}

/**
 * A misspelled name leaves the tool without its setting, for example without an approval. The names can be compared
 * only when the server has listed its tools, so the host cannot refuse them at its start.
 */
function misnamedTools(config: McpServerConfig, tools: readonly string[]): readonly MisnamedTool[] {
  const { name: server, approval, repeatable, scopes, limited = [] } = config;
  const given = [
    ...approval.map((name) => ['approval', name] as const),
    ...Object.keys(repeatable).map((name) => ['repeatable', name] as const),
    ...Object.keys(scopes).map((name) => ['scopes', name] as const),
  ];
  const wrong = given.filter(([, name]) => name !== '*' && !tools.includes(name));
  const unlimited = limited.filter((name) => !tools.some((tool) => matches(name, tool)));
  return [
    ...wrong.map(([field, name]) => ({ name, entry: `mcp.${server}.${field}` })),
    ...unlimited.map((name) => ({ name, entry: 'limits' })),
  ].map(({ name, entry }) => ({ name, problem: describe(entry, name, nearest(name, tools)) }));
}

function describe(entry: string, name: string, near: string | undefined): string {
  const hint = near === undefined ? 'it lists no tools' : `did you mean ${near}?`;
  return `${entry} in the file of BATON_TOOLS names "${name}", which is no tool of the server; ${hint}`;
}
