/** Models and tools for live agents. */

// Tools.
export { type ConnectedTools, connectTools, type ToolsOptions } from './tools/connected-tools.ts';
export { type McpServerConfig, NO_TOOLS, type ToolsConfig } from './tools/tools-config.ts';
export { readToolsFile } from './tools/tools-file.ts';
