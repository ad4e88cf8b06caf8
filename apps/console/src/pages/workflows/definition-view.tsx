import type { WorkflowDefinition } from '@baton/client';
import { useMemo } from 'react';
import { useMay } from '../../session/session.ts';
import { DefinitionEditor } from './definition-editor.tsx';

/** The definition of a workflow, which a person with the right to do so can change into a new version. */
export function DefinitionView({ definition }: { readonly definition: WorkflowDefinition }) {
  const may = useMay();
  const text = useMemo(() => JSON.stringify(definition, null, 2), [definition]);
  // A new version has another text. The editor then begins again, with the registered version.
  return <DefinitionEditor key={text} initial={text} mayWrite={may('workflows:write')} />;
}
