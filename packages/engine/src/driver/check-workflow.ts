import {
  type Agent,
  agentOfWorkflow,
  BatonError,
  invalid,
  requireWellFormed,
  toJson,
  type WorkflowDefinition,
} from '@baton/protocol';
import { tooLargeDefinition } from '../kernel/graph/bounds.ts';
import { checkDefinition, type Features, judgeDefinition } from '../kernel/graph/registration.ts';
import { problemsFoundBy } from '../kernel/graph/rules.ts';
import { agentDefinition } from '../nodes/agent/agent-definition.ts';
import { type NodeTypes, PRODUCT_NODES } from '../nodes/index.ts';

/** The features of a host whose operator has switched nothing off. */
const ALL_FEATURES: Features = { dispatchMapping: true, subWorkflowInputMapping: true };

/**
 * The rules by which a host accepts a workflow of an author. Returns the definition with its defaults, and warnings.
 * Throws a `BatonError` that names the field. Not checked here: that the definition holds no secret of the tenant,
 * because only a host knows the secrets.
 */
export function checkWorkflow(
  given: unknown,
  nodes: NodeTypes = PRODUCT_NODES,
  features: Features = ALL_FEATURES,
): { readonly definition: WorkflowDefinition; readonly warnings: readonly string[] } {
  requireStorable(given);
  const checked = checkDefinition(given, features, nodes.of, nodes.ids);
  const reserved = reservedId(checked.definition);
  if (reserved) throw reserved;
  return checked;
}

/** The same rules, without throwing: all problems that can be found at once. */
export function judgeWorkflow(
  given: unknown,
  nodes: NodeTypes,
  features: Features,
): ReturnType<typeof judgeDefinition> {
  const unstorable = problemsFoundBy([{ check: () => requireStorable(given) }]);
  if (unstorable.length > 0) return { problems: unstorable, warnings: [] };
  const judged = judgeDefinition(given, features, nodes.of, nodes.ids);
  const reserved = judged.definition && reservedId(judged.definition);
  return reserved ? { ...judged, problems: [...judged.problems, reserved], warnings: [] } : judged;
}

function reservedId({ id }: WorkflowDefinition): BatonError | undefined {
  if (agentOfWorkflow(id) !== undefined) {
    const message = 'workflow: id begins with "agent:", which is kept for agents; register an agent instead';
    return new BatonError('validation_error', message, { field: 'id' });
  }
  if (id.startsWith('peer:')) {
    const message = 'workflow: id begins with "peer:", which is kept for workers of other hosts';
    return new BatonError('validation_error', message, { field: 'id' });
  }
  return undefined;
}

/** A host does not take a body that its log cannot hold, for example one with the key `__proto__`. */
function requireStorable(given: unknown): void {
  try {
    requireWellFormed(toJson(given), 'The workflow');
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new BatonError('validation_error', `workflow: cannot be stored: ${error.message}`);
  }
}

/** The workflow that runs an agent. Throws a `BatonError` when it is too large to be stored. */
export function checkAgent(agent: Agent): WorkflowDefinition {
  const definition = agentDefinition(agent);
  const large = tooLargeDefinition(definition);
  if (large) throw invalid('agent', large);
  return definition;
}
