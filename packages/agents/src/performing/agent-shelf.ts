import type { WorkflowReads, WorkflowRecord } from '@baton/engine/ports';
import { type Agent, agentOfWorkflow, agentWorkflowId, type WorkflowDefinition } from '@baton/protocol';

/** The agents that are registered. Each is stored as the workflow that runs it. */
export interface AgentShelf {
  newest(tenant: string, agentId: string): Promise<Agent | undefined>;
  /** The version that was the newest at this time. */
  asOf(tenant: string, agentId: string, at: number): Promise<ShelvedAgent | undefined>;
  all(tenant: string): Promise<readonly ShelvedAgent[]>;
}

interface ShelvedAgent {
  readonly agent: Agent;
  /** Counts registrations of this id, from 1. */
  readonly version: number;
}

export function agentShelf(reads: WorkflowReads): AgentShelf {
  return {
    newest: async (tenant, agentId) => shelved(await reads.workflow(tenant, agentWorkflowId(agentId)))?.agent,
    asOf: async (tenant, agentId, at) =>
      shelved(await reads.workflowAsOf(tenant, agentWorkflowId(agentId), at)),
    async all(tenant) {
      const found = (await reads.workflows(tenant)).flatMap((record) => shelved(record) ?? []);
      return found.sort((a, b) => (a.agent.agentId < b.agent.agentId ? -1 : 1));
    },
  };
}

function shelved(record: WorkflowRecord | undefined): ShelvedAgent | undefined {
  if (record === undefined || agentOfWorkflow(record.id) === undefined) return undefined;
  const definition = JSON.parse(record.definition) as WorkflowDefinition;
  const agent = definition.nodes[0]?.config?.agent as unknown as Agent | undefined;
  return agent && { agent, version: record.version };
}
