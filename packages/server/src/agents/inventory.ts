import type { ToolDescriptor } from '@baton/engine/ports';
import type { Agent, AgentEntry, AgentTool } from '@baton/protocol';

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
    // This host has every kind of memory that a manifest can ask for.
    ...(memoryShape && { memoryDegraded: false }),
  };
}

/** A tool as its users see it. The schemas are for models. */
export function toolOf(tool: ToolDescriptor): AgentTool {
  const { id, description, transport, scopes = [], approval, repeatable } = tool;
  return {
    id,
    ...(description !== undefined && { description }),
    transport,
    scopes: [...scopes],
    approval: approval === 'always',
    repeatable,
  };
}
