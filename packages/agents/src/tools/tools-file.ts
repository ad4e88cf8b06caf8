import { type JsonObject, nearest } from '@baton/protocol';
import { readSettingsFile, type SettingsFile } from '../files/read-settings-file.ts';
import {
  type At,
  configured,
  type Environment,
  has,
  headers,
  Mistake,
  member,
  members,
  oneOf,
  repeatable,
  schema,
  scopes,
  text,
  texts,
  wholeNumber,
  yesOrNo,
} from './file-values.ts';
import { BUILT_IN_IDS, matches } from './tool-ids.ts';
import {
  HTTP_METHODS,
  type HttpToolConfig,
  MAX_TIMEOUT_MS,
  type McpConnection,
  type McpServerConfig,
  type ToolLimit,
  type ToolsConfig,
} from './tools-config.ts';
import { argumentsIn, problemWithTemplate } from './url-template.ts';

/**
 * The file that names the tools of a host. A mistake in it stops the start of the host, and the message names the
 * file, the line and what to write instead.
 */
export function readTools(
  file: SettingsFile,
  env: Environment,
): { readonly config: ToolsConfig } | { readonly problem: string } {
  return readSettingsFile(file, (at) => toolsIn(at, env));
}

function toolsIn(at: At, env: Environment): ToolsConfig {
  members(at, ['mcp', 'http', 'limits']);
  const mcp = entries(member(at, 'mcp')).map(([name, server]) => mcpServerIn(name, server, env));
  const http = entries(member(at, 'http')).map(([name, tool]) => httpToolIn(name, tool, env));
  const limited = entries(member(at, 'limits'));
  const limits = limited.map(([tools, limit]) => limitIn(tools, limit));
  for (const [tools, limit] of limited) checkLimited(tools, limit, mcp, http);
  return {
    mcp: mcp.map((server) => ({ ...server, ...limitedOf(server.name, limits) })),
    http,
    limits,
  };
}

/** The tools of MCP servers are not known yet, so only the name of the server is checked. */
function checkLimited(
  tools: string,
  { path }: At,
  mcp: readonly McpServerConfig[],
  http: readonly HttpToolConfig[],
): void {
  const servers = mcp.map(({ name }) => `mcp:${name}/`);
  const ids = [...BUILT_IN_IDS, ...http.map(({ name }) => `http:${name}`)];
  if (ids.some((id) => matches(tools, id))) return;
  if (servers.some((server) => tools.startsWith(server) || matches(tools, server))) return;
  const near = nearest(tools, [...ids, ...servers.map((server) => `${server}*`)]);
  throw new Mistake(path, `names no tool of this host; did you mean "${near}"?`);
}

function limitedOf(server: string, limits: readonly ToolLimit[]): Pick<McpServerConfig, 'limited'> {
  const all = `mcp:${server}/`;
  const limited = limits.flatMap(({ tools }) => (tools.startsWith(all) ? [tools.slice(all.length)] : []));
  return limited.length > 0 ? { limited } : {};
}

function entries(at: At): readonly (readonly [string, At])[] {
  return has(at) ? members(at) : [];
}

/** Names of servers have no underscore, so that the names that models are told cannot collide. */
const SERVER_NAME = /^(?!(?:http|baton|handoff)$)[A-Za-z0-9-]{1,32}$/;
const TOOL_NAME = /^[A-Za-z0-9_-]{1,56}$/;
const MAX_SECONDS = MAX_TIMEOUT_MS / 1000;

function seconds(at: At, unset: number): number {
  return (has(at) ? wholeNumber(at, MAX_SECONDS, unset) : unset) * 1000;
}

function mcpServerIn(name: string, at: At, env: Environment): McpServerConfig {
  if (!SERVER_NAME.test(name)) {
    throw new Mistake(
      at.path,
      'must have a name of 1 to 32 letters, digits and dashes, other than http, baton and handoff',
    );
  }
  return {
    name,
    connection: connectionIn(at, env),
    approval: texts(member(at, 'approval'), '["write_file"]'),
    repeatable: byTool(member(at, 'repeatable'), repeatable),
    scopes: byTool(member(at, 'scopes'), scopes),
    timeoutMs: seconds(member(at, 'timeoutSeconds'), 60),
  };
}

const OF_ALL = ['approval', 'repeatable', 'scopes', 'timeoutSeconds'];

function connectionIn(at: At, env: Environment): McpConnection {
  const [command, url] = [member(at, 'command'), member(at, 'url')];
  if (has(command) === has(url)) {
    throw new Mistake(
      at.path,
      'must have either "command" (a program to start) or "url" (a server that runs)',
    );
  }
  if (has(url)) {
    members(at, ['url', 'headers', ...OF_ALL]);
    return { kind: 'http', url: serverUrl(url), headers: headers(member(at, 'headers'), env) };
  }
  members(at, ['command', 'args', 'env', 'folder', ...OF_ALL]);
  const folder = member(at, 'folder');
  return {
    kind: 'stdio',
    command: text(command, '"npx"'),
    args: texts(member(at, 'args'), '["-y", "some-server"]'),
    env: configured(member(at, 'env'), env),
    ...(has(folder) && { folder: text(folder, '"/srv/files"') }),
  };
}

function serverUrl(at: At): string {
  const url = text(at, '"https://mcp.example.com/mcp"');
  const problem = argumentsIn(url).length > 0 ? 'must not have {name}' : problemWithTemplate(url);
  if (problem !== undefined) throw new Mistake(at.path, problem);
  return url;
}

function byTool<T>(at: At, read: (value: At) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(entries(at).map(([tool, value]) => [tool, read(value)]));
}

const OF_HTTP = [
  'description',
  'method',
  'url',
  'headers',
  'parameters',
  'returns',
  'repeatable',
  'approval',
];

function httpToolIn(name: string, at: At, env: Environment): HttpToolConfig {
  if (!TOOL_NAME.test(name)) {
    throw new Mistake(at.path, 'must have a name of 1 to 56 letters, digits, dashes and underscores');
  }
  members(at, [...OF_HTTP, 'scopes', 'private', 'timeoutSeconds']);
  const [description, returns, method] = [
    member(at, 'description'),
    member(at, 'returns'),
    member(at, 'method'),
  ];
  const verb = has(method) ? oneOf(method, HTTP_METHODS) : 'GET';
  const again = member(at, 'repeatable');
  return {
    name,
    ...(has(description) && { description: text(description, '"Finds a ticket."') }),
    method: verb,
    url: templateIn(member(at, 'url')),
    headers: headers(member(at, 'headers'), env),
    parameters: parametersIn(at),
    ...(has(returns) && { returns: schema(returns) }),
    repeatable: has(again) ? repeatable(again) : verb === 'GET' ? 'yes' : 'unknown',
    approval: yesOrNo(member(at, 'approval')),
    scopes: scopes(member(at, 'scopes')),
    private: yesOrNo(member(at, 'private')),
    timeoutMs: seconds(member(at, 'timeoutSeconds'), 30),
  };
}

function templateIn(at: At): string {
  const url = text(at, '"https://tickets.example.com/api/{project}/tickets"');
  const problem = problemWithTemplate(url);
  if (problem !== undefined) throw new Mistake(at.path, problem);
  return url;
}

/** An argument in the address must be required, because without it there is no address. */
function parametersIn(tool: At): HttpToolConfig['parameters'] {
  const at = member(tool, 'parameters');
  const given: JsonObject = has(at) ? schema(at) : { type: 'object', properties: {} };
  if (given.type !== 'object') throw new Mistake(at.path, 'must have "type": "object"');
  const places = argumentsIn(text(member(tool, 'url'), '"https://tickets.example.com"'));
  const required = Array.isArray(given.required) ? given.required : [];
  const missing = places.find((place) => !required.includes(place));
  if (missing === undefined) return given;
  throw new Mistake(
    at.path,
    `must have "${missing}" in "properties" and "required", because it is part of the url`,
  );
}

const LIMITED = /^(?:(?:mcp|http|baton):.*|\*)$/;

function limitIn(tools: string, at: At): ToolLimit {
  if (!LIMITED.test(tools) || tools.slice(0, -1).includes('*')) {
    throw new Mistake(
      at.path,
      'must be the id of a tool, such as "mcp:files/read_file", or end with * as "mcp:files/*"',
    );
  }
  members(at, ['calls', 'perSeconds']);
  return {
    tools,
    calls: wholeNumber(member(at, 'calls'), 1_000_000, 10),
    perSeconds: wholeNumber(member(at, 'perSeconds'), 86_400, 60),
  };
}
