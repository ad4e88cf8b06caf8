import { matchesTool, type ToolVerifier, type ToolVerifiers, type Verifier } from '@baton/protocol';
import { criticsIn } from '../../../kernel/handoff/gate.ts';
import { handoffTarget, REMEMBER } from '../../../ports/agent-effects.ts';
import type { Invocation } from '../invocation.ts';

/** The critics of an invocation. The settings of the node come before those of the agent's manifest. */

type Named = Pick<Invocation, 'node' | 'agent'>;

/** The critic of the decisions. */
export function verifierOf({ node, agent }: Named): Verifier | undefined {
  return criticsIn(node.node).verifier ?? agent.verifier;
}

/** The critic of what a tool returns. Tools that the engine performs itself return nothing from outside. */
export function toolVerifierOf({ node, agent }: Named, toolId: string): ToolVerifier | undefined {
  if (toolId === REMEMBER || handoffTarget(toolId) !== undefined) return undefined;
  return (
    mostParticular(criticsIn(node.node).toolVerifiers, toolId) ?? mostParticular(agent.toolVerifiers, toolId)
  );
}

function mostParticular(verifiers: ToolVerifiers = {}, toolId: string): ToolVerifier | undefined {
  return Object.entries(verifiers)
    .filter(([tools]) => matchesTool(tools, toolId))
    .toSorted(([one], [other]) => other.length - one.length)[0]?.[1];
}

/** The names of all tools whose results have a critic. */
export function judgedTools({ node, agent }: Named): readonly string[] {
  const { toolVerifiers } = criticsIn(node.node);
  return [toolVerifiers, agent.toolVerifiers].flatMap((verifiers) => Object.keys(verifiers ?? {}));
}
