/** Models and tools for live agents. */

export { type NamedAgent, readAgentsFolder } from './manifests/read-folder.ts';
export { resolveAgent } from './manifests/resolve-agent.ts';
export {
  type ConnectedModels,
  connectModels,
  type ModelOverride,
  type ModelsHealth,
} from './models/connected-models.ts';
export { minimalInstance } from './models/minimal-instance.ts';
export type { ModelsConfig, ModelTarget } from './models/models-config.ts';
export { realLater } from './models/timers.ts';
