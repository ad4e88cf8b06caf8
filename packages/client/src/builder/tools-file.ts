import type { ToolDefinition } from './tool.ts';

/** How a host starts the server of tools. */
export interface ToolServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** Environment variables of the process: texts, or `{ env }` for a variable of the host. */
  readonly env?: Readonly<Record<string, string | { readonly env: string }>>;
  readonly timeoutSeconds?: number;
  /** The tools that the server offers with `serveTools`. */
  readonly tools: readonly ToolDefinition[];
}

interface ServerEntry extends Omit<ToolServer, 'tools'> {
  readonly approval?: readonly string[];
  readonly repeatable?: Readonly<Record<string, string>>;
  readonly scopes?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The content of a file for `BATON_TOOLS`, with the servers by their names. Which calls need approval, which may be
 * repeated and which scopes they need are taken from the definitions of the tools.
 *
 * @example
 * import { toolsFile, type ToolDefinition } from '@baton/client/builder';
 * import { writeFileSync } from 'node:fs';
 *
 * declare const refund: ToolDefinition;
 * const file = toolsFile({ shop: { command: 'node', args: ['shop.mjs'], tools: [refund] } });
 * writeFileSync('tools.json', JSON.stringify(file, null, 2));
 */
export function toolsFile(servers: Readonly<Record<string, ToolServer>>): {
  readonly mcp: Readonly<Record<string, ServerEntry>>;
} {
  return {
    mcp: Object.fromEntries(Object.entries(servers).map(([name, one]) => [name, entryOf(name, one)])),
  };
}

function entryOf(name: string, { tools, ...process }: ToolServer): ServerEntry {
  const stranger = tools.find(({ server }) => server !== name);
  if (stranger)
    throw new TypeError(
      `The tool "${stranger.name}" belongs to the server "${stranger.server}", not to "${name}"; agents would not find it.`,
    );
  const approval = tools.filter((tool) => tool.approval).map((tool) => tool.name);
  const scoped = tools.filter(({ scopes }) => scopes.length > 0);
  return {
    ...process,
    ...(approval.length > 0 && { approval }),
    repeatable: Object.fromEntries(tools.map((tool) => [tool.name, tool.repeatable])),
    ...(scoped.length > 0 && { scopes: Object.fromEntries(scoped.map((tool) => [tool.name, tool.scopes])) }),
  };
}
