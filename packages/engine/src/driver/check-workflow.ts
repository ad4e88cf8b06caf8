import { agentOfWorkflow, BatonError, type WorkflowDefinition } from '@baton/protocol';
import { checkDefinition, type Features } from '../kernel/graph/registration.ts';
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
  const { definition, warnings } = checkDefinition(given, features, nodes.of, nodes.ids);
  if (agentOfWorkflow(definition.id) !== undefined) {
    const message = 'workflow: id begins with "agent:", which is kept for agents; register an agent instead';
    throw new BatonError('validation_error', message, { field: 'id' });
  }
  if (definition.id.startsWith('peer:')) {
    const message = 'workflow: id begins with "peer:", which is kept for workers of other hosts';
    throw new BatonError('validation_error', message, { field: 'id' });
  }
  return { definition, warnings };
}
