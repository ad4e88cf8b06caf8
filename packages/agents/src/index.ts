/** Models and tools for live agents. */

export { type NamedAgent, readAgentsFolder } from './manifests/read-folder.ts';
export { resolveAgent } from './manifests/resolve-agent.ts';
