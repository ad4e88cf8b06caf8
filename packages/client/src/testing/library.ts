import { resolveAgent } from '@baton/agents';
import { checkAgent, checkWorkflow } from '@baton/engine';
import type { DefinitionReads, WorkflowReads, WorkflowRecord } from '@baton/engine/ports';
import { type AgentPackage, digest, type Json, type WorkflowDefinition } from '@baton/protocol';
import type { Scripts } from './models.ts';
import type { SortedParts } from './parts.ts';

/**
 * The workflows and agents of a test, as a store gives them. They are checked with the rules of a host once, and not
 * stored for each run: that would take longer than a short run.
 */
export type Library = WorkflowReads & DefinitionReads;

/** Throws a `BatonError` when a host would not register one of them. */
export function libraryOf({ workflows, agents, scripts, start }: SortedParts): Library {
  const definitions = [
    ...agents.map((agent) => agentWorkflow(agent, scripts)),
    ...workflows.map((workflow) => checkWorkflow(workflow).definition),
  ];
  const texts = new Map<string, string>();
  const records = new Map<string, Omit<WorkflowRecord, 'tenant'>>();
  for (const definition of definitions) {
    const text = JSON.stringify(definition);
    const key = digest(definition as unknown as Json);
    texts.set(key, text);
    records.set(definition.id, {
      id: definition.id,
      version: 1,
      digest: key,
      definition: text,
      createdAt: start,
    });
  }
  const found = (tenant: string, id: string): WorkflowRecord | undefined => {
    const record = records.get(id);
    return record && { tenant, ...record };
  };
  return {
    workflow: async (tenant, id) => found(tenant, id),
    workflowAsOf: async (tenant, id) => found(tenant, id),
    workflows: async (tenant) => [...records.keys()].flatMap((id) => found(tenant, id) ?? []),
    definition: async (key) => texts.get(key),
  };
}

/** The script of the test takes the place of that of the agent. */
function agentWorkflow(given: AgentPackage, scripts: Scripts): WorkflowDefinition {
  const agent = resolveAgent(given);
  const script = Object.hasOwn(scripts, agent.agentId) ? scripts[agent.agentId] : undefined;
  return checkAgent(script === undefined ? agent : { ...agent, script: script as unknown as Json[] });
}
