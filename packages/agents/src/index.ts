/** Models and tools for live agents. */

export { readAgentsFolder } from './manifests/read-folder.ts';
export { resolveAgent } from './manifests/resolve-agent.ts';
export { type ConnectedModels, connectModels } from './models/connected-models.ts';
export { minimalInstance } from './models/minimal-instance.ts';
export type { ModelsConfig } from './models/models-config.ts';
export { readModels } from './models/models-file.ts';
export { realLater } from './models/timers.ts';
export { type ConnectedTools, connectTools, type ToolsOptions } from './tools/connected-tools.ts';
export { causesOf, fetchFailure } from './tools/fetch-refusal.ts';
export { type Fetch, fetchTo, type GuardedFetch, guardedFetch } from './tools/guarded-fetch.ts';
export { type Resolve, systemResolve } from './tools/judged-lookup.ts';
export { isLocalAddress, isPublicAddress } from './tools/public-address.ts';
export { type McpServerConfig, NO_TOOLS, type ToolsConfig } from './tools/tools-config.ts';
