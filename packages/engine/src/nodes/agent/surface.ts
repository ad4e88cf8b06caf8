import type { Agent } from '@baton/protocol';
import { handoffTarget, REMEMBER } from '../../ports/agent-effects.ts';
import type { ToolDescriptor } from '../../ports/tools.ts';
import { verifierOf } from './critics/verifiers.ts';
import type { Invocation } from './invocation.ts';

/** The tools that an agent can call. */

/**
 * The tools of the agent. The host lists only tools that the manifest allows. The list is filtered here again, so
 * that no list from outside can add a tool.
 */
export function surfaceOf(invocation: Invocation): readonly ToolDescriptor[] {
  const { agent, ready, role } = invocation;
  const { toolAllowlist = [] } = agent;
  // The work of another agent would be used without a verdict, or in place of the decision of a supervisor.
  const handsOver = role !== 'supervisor' && verifierOf(invocation) === undefined;
  const handoffs = handsOver ? (agent.handoffs ?? []) : [];
  return ready.tools.filter(({ id }) => {
    const target = handoffTarget(id);
    if (target !== undefined) return handoffs.some(({ agentId }) => agentId === target);
    if (id === REMEMBER) return bindsMemory(agent);
    return toolAllowlist.some((allowed) => allows(allowed, id));
  });
}

/** Only an agent whose manifest asks for a memory is told what its run remembers, and can add to it. */
export function bindsMemory({ memoryShape = {} }: Pick<Agent, 'memoryShape'>): boolean {
  return memoryShape.longTerm === true || memoryShape.scratchpad === true;
}

function allows(allowed: string, id: string): boolean {
  if (!allowed.endsWith('*')) return allowed === id;
  const prefix = allowed.slice(0, -1);
  return prefix !== '' && id.startsWith(prefix);
}
