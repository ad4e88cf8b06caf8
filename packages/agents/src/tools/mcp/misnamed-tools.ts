import { nearest } from '@baton/protocol';
import { matches } from '../tool-ids.ts';
import type { McpServerConfig } from '../tools-config.ts';

/** A name in the settings of an MCP server that no tool of the server has. */
export interface MisnamedTool {
  readonly name: string;
  readonly problem: string;
}

/**
 * A misspelled name leaves the tool without its setting, for example without an approval. The names can be compared
 * only when the server has listed its tools, so the host cannot refuse them at its start.
 */
export function misnamedTools(config: McpServerConfig, tools: readonly string[]): readonly MisnamedTool[] {
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
