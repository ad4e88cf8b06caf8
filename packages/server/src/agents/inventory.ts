import type { Agent, AgentEntry } from '@baton/protocol';

/** What this host has of the memory that agents can declare. */
const SATISFIED_MEMORY = ['scratchpad', 'conversation', 'longTerm'] as const;

/**
 * An agent as the inventory shows it. Prompts and schemas are not shown. `degraded` names tools and capabilities
 * that the agent asks for and that this host cannot give it now.
 */
export function entryOf(agent: Agent, degraded: readonly string[]): AgentEntry {
  const { agentId, persona, label, description, modelClass, packName, packVersion, memoryShape } = agent;
  const threshold = agent.confidence?.defaultThreshold;
  return {
    agentId,
    persona,
    label: label ?? persona,
    ...(description !== undefined && { description }),
    modelClass,
    packName,
    packVersion,
    toolAllowlist: [...(agent.toolAllowlist ?? [])],
    hasHandoffSchemas: agent.taskSchema !== undefined || agent.returnSchema !== undefined,
    ...(memoryShape && { memoryShape }),
    ...(threshold !== undefined && { confidenceThreshold: threshold }),
    ...(degraded.length > 0 && { degraded: [...degraded] }),
    ...(memoryShape && { memoryDegraded: !Object.keys(memoryShape).every(isSatisfied) }),
  };
}

function isSatisfied(dimension: string): boolean {
  return SATISFIED_MEMORY.some((one) => one === dimension);
}
