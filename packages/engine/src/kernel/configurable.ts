import { invalid, type Json, problemByAuthor, type WorkflowDefinition } from '@baton/protocol';

/**
 * Refuses options that the workflow's own `configurableSchema` does not allow. Whoever gives a run its options meets
 * this rule: a caller who creates, branches or retries it, and a host that imports it. A child has the options of its
 * parent as they are, since nobody gave them to the child.
 */
export function refuseConfigurable(
  { configurableSchema }: Pick<WorkflowDefinition, 'configurableSchema'>,
  given: Readonly<Record<string, Json | undefined>> = {},
): void {
  const problem = configurableSchema && problemByAuthor(configurableSchema, given);
  if (problem) throw invalid('configurable', problem);
}
