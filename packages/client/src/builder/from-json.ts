import { invalid, isJsonObject, problemWith, WorkflowDefinition } from '@baton/protocol';
import type { Declarations } from './variables.ts';
import { workflowOf } from './workflow.ts';
import type { Workflow } from './workflow-types.ts';

/**
 * Reads a workflow from JSON: a definition, or its text. Everything in it is kept. Its names are not known to the
 * compiler, so they are not checked there; `validate` checks them.
 *
 * @example
 * import { fromJson } from '@baton/client/builder';
 * import { readFileSync } from 'node:fs';
 *
 * const hello = fromJson(readFileSync('examples/hello.json', 'utf8'));
 * const longer = hello.delay('wait', 1000, { after: 'greet' });
 * console.log(JSON.stringify(longer, null, 2));
 */
export function fromJson(given: string | object): Workflow<Declarations, string> {
  const definition: unknown = typeof given === 'string' ? JSON.parse(given) : given;
  const problem = problemWith(WorkflowDefinition, definition);
  if (problem || !isJsonObject(definition)) {
    throw invalid('workflow', problem ?? { field: '', problem: 'must be an object' });
  }
  return workflowOf(structuredClone(definition) as unknown as WorkflowDefinition);
}
