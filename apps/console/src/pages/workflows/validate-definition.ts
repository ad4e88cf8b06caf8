import type { WorkflowDefinition } from '@baton/client';
import { baton } from '../../api/baton.ts';
import type { EditorProblem } from '../../ui/editor/create-editor.ts';
import { problemsOf } from './problems.ts';

/** What the host would say if the definition were registered. Nothing is stored. */
export async function validateDefinition(
  definition: WorkflowDefinition,
  signal: AbortSignal,
): Promise<readonly EditorProblem[]> {
  return problemsOf(await baton.workflows.validate(definition, { signal }));
}
