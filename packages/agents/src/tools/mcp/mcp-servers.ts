import type { ToolDescriptor } from '@baton/engine/ports';
import { matches } from '../tool-ids.ts';
import type { McpServerConfig } from '../tools-config.ts';
import type { KeptLinkOptions } from './kept-link.ts';
import { type McpHealth, type McpServer, mcpServer } from './mcp-server.ts';

/** All MCP servers of a host. */
export interface McpServers {
  /** The server and the name of the tool that an id means. */
  find(id: string): { readonly server: McpServer; readonly name: string } | undefined;
  descriptor(id: string): ToolDescriptor | undefined;
  /** Waits for attempts to connect to servers of these tools. */
  surface(allowed: readonly string[]): Promise<McpSurface>;
  health(): readonly McpHealth[];
  stop(): Promise<void>;
}

interface McpSurface {
  readonly tools: readonly ToolDescriptor[];
  /**
   * Ids of tools whose server is away, by its last list. Where a server was never reached, the entry of the
   * allow-list itself: `mcp:files/*`. Also ids that the settings of a server name and that no tool of it has.
   */
  readonly degraded: readonly string[];
}

export function mcpServers(configs: readonly McpServerConfig[], options: KeptLinkOptions): McpServers {
  const servers = new Map(configs.map((config) => [config.name, mcpServer(config, options)]));

  const find: McpServers['find'] = (id) => {
    const [, serverName = '', name = ''] = /^mcp:([^/]+)\/(.+)$/s.exec(id) ?? [];
    const server = servers.get(serverName);
    return server && { server, name };
  };

  return {
    find,
    descriptor(id) {
      const found = find(id);
      return found?.server.tools().find(({ name }) => name === found.name)?.descriptor;
    },
    async surface(allowed) {
      const asked = [...servers.values()].filter(({ name }) => allowed.some((entry) => mayMean(entry, name)));
      await Promise.all(asked.map((server) => server.settled()));
      const tools: ToolDescriptor[] = [];
      const degraded: string[] = [];
      for (const server of asked) {
        const known = server.tools().map(({ descriptor }) => descriptor);
        degraded.push(...server.misnamed().map((name) => `mcp:${server.name}/${name}`));
        if (server.isUp()) tools.push(...known);
        else degraded.push(...awayOf(server.name, known, allowed));
      }
      return { tools, degraded };
    },
    health: () => [...servers.values()].map((server) => server.health()),
    async stop() {
      await Promise.all([...servers.values()].map((server) => server.stop()));
    },
  };
}

/** Whether an entry of an allow-list can mean a tool of this server. */
function mayMean(entry: string, server: string): boolean {
  const all = `mcp:${server}/`;
  return entry.startsWith(all) || (entry.endsWith('*') && all.startsWith(entry.slice(0, -1)));
}

function awayOf(
  server: string,
  known: readonly ToolDescriptor[],
  allowed: readonly string[],
): readonly string[] {
  return allowed
    .filter((entry) => mayMean(entry, server))
    .flatMap((entry) => {
      const ids = known.map(({ id }) => id).filter((id) => matches(entry, id));
      return ids.length > 0 ? ids : [entry];
    });
}
