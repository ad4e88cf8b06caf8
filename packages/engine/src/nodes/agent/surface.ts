import type { ToolDescriptor } from '../../ports/tools.ts';
import type { Invocation } from './invocation.ts';

/** The tools that an agent can call. */

/** A tool that hands the work to another agent. The rest of the id is the id of that agent. */
const HANDOFF = 'handoff:';
/** The tool with which an agent remembers something. The engine itself performs it. */
export const REMEMBER = 'baton:remember';

/**
 * The tools of the agent. The host lists only tools that the manifest allows. The list is filtered here again, so
 * that no list from outside can add a tool.
 */
export function surfaceOf({ agent, ready }: Pick<Invocation, 'agent' | 'ready'>): readonly ToolDescriptor[] {
  const { toolAllowlist = [], handoffs = [], memoryShape = {} } = agent;
  return ready.tools.filter(({ id }) => {
    const target = handoffTarget(id);
    if (target !== undefined) return handoffs.some(({ agentId }) => agentId === target);
    if (id === REMEMBER) return memoryShape.longTerm === true || memoryShape.scratchpad === true;
    return toolAllowlist.some((allowed) => allows(allowed, id));
  });
}

function allows(allowed: string, id: string): boolean {
  if (!allowed.endsWith('*')) return allowed === id;
  const prefix = allowed.slice(0, -1);
  return prefix !== '' && id.startsWith(prefix);
}

export function handoffTarget(toolId: string): string | undefined {
  return toolId.startsWith(HANDOFF) ? toolId.slice(HANDOFF.length) : undefined;
}

export function handoffTool(agentId: string): string {
  return `${HANDOFF}${agentId}`;
}
