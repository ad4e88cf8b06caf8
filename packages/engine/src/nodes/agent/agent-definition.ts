import {
  type Agent,
  agentWorkflowId,
  completeDefinition,
  type Json,
  type WorkflowDefinition,
} from '@baton/protocol';

/** The workflow that runs an agent: one node, which holds the agent. So a run keeps the agent that it began with. */
export function agentDefinition(agent: Agent): WorkflowDefinition {
  const { agentId, persona, packVersion } = agent;
  return completeDefinition({
    id: agentWorkflowId(agentId),
    name: persona,
    version: packVersion,
    nodes: [
      {
        id: 'agent',
        typeId: 'core.agent',
        name: persona,
        agent: { agentId, version: packVersion },
        config: { agent: agent as unknown as Json },
      },
    ],
  });
}
