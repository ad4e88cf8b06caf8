/** Models and tools for live agents. */

// Tools.
export { type ConnectedTools, connectTools, type ToolsOptions } from './tools/connected-tools.ts';
export { type Fetch, type GuardedFetch, guardedFetch } from './tools/guarded-fetch.ts';
export type { ConfiguredValue, HttpToolConfig, McpServerConfig, ToolsConfig } from './tools/tools-config.ts';
export { NO_TOOLS } from './tools/tools-config.ts';
