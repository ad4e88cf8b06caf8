/** Models and tools for live agents. */

export {
  ALL_OTHERS,
  type TenantBudget,
  type TenantBudgets,
  type TenantLimits,
} from './budgets/budgets-file.ts';
export { readAgentsFolder } from './manifests/read-folder.ts';
export { resolveAgent } from './manifests/resolve-agent.ts';
export { type ConnectedModels, connectModels } from './models/connected-models.ts';
export { minimalInstance } from './models/minimal-instance.ts';
export type { ModelsConfig } from './models/models-config.ts';
export { readModels } from './models/models-file.ts';
export type { ScriptEntry } from './models/script.ts';
export { scriptedProvider } from './models/scripted.ts';
export { type LaunchModelThread, threadedVendors } from './models/thread/threaded-vendors.ts';
export { type Later, realLater } from './models/timers.ts';
export { vendorsHere } from './models/vendors.ts';
export { type AgentShelf, agentShelf } from './performing/agent-shelf.ts';
export { MAX_ANSWER_CHARACTERS } from './performing/judge-answer.ts';
export { modelCalls } from './performing/model-calls.ts';
export { type Performer, performEffects } from './performing/perform-effects.ts';
export { preparing } from './performing/prepare.ts';
export { toolCalls } from './performing/tool-calls.ts';
export { builtInTools } from './tools/built-in-tools.ts';
export { type ConnectedTools, connectTools, type ToolsOptions } from './tools/connected-tools.ts';
export { causesOf, fetchFailure } from './tools/fetch-refusal.ts';
export {
  type ClientTls,
  type Fetch,
  type FetchBounds,
  fetchTo,
  type GuardedFetch,
  guardedFetch,
} from './tools/guarded-fetch.ts';
export { type Resolve, systemResolve } from './tools/judged-lookup.ts';
export { isLocalAddress, isPublicAddress } from './tools/public-address.ts';
export { modelName } from './tools/tool-ids.ts';
export { type McpServerConfig, NO_TOOLS, type ToolsConfig } from './tools/tools-config.ts';
