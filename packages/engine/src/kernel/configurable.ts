import { invalid, type Json, problemByAuthor, type WorkflowDefinition } from '@baton/protocol';

/**
 * Refuses options that the `configurableSchema` of the workflow does not allow. This is checked when a run is
 * created, branched, retried or opened from a bundle. It is not checked for a child, which has the options of its parent.
 */
export function refuseConfigurable(
  { configurableSchema }: Pick<WorkflowDefinition, 'configurableSchema'>,
  given: Readonly<Record<string, Json | undefined>> = {},
): void {
  const problem = configurableSchema && problemByAuthor(configurableSchema, given);
  if (problem) throw invalid('configurable', problem);
}
