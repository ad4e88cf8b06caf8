import type { WorkflowDefinition } from '@baton/client';
import { useEffect, useState } from 'react';
import type { EditorProblem } from '../../ui/editor/create-editor.ts';
import { validateDefinition } from './validate-definition.ts';

const PAUSE_MS = 500;

export interface Validation {
  readonly problems: readonly EditorProblem[];
  /** Whether the host has judged the definition as it is now. */
  readonly isJudged: boolean;
}

const NOT_JUDGED: Validation = { problems: [], isJudged: false };

/** What the host says about a definition that is being written. It is asked when nothing was written for a moment. */
export function useValidation(definition: WorkflowDefinition | undefined): Validation {
  const [validation, setValidation] = useState(NOT_JUDGED);
  useEffect(() => {
    // The marks of the last answer stay until the next one, so that they do not blink at every letter.
    setValidation(({ problems }) => (definition === undefined ? NOT_JUDGED : { problems, isJudged: false }));
    if (definition === undefined) return;
    const leave = new AbortController();
    const timer = setTimeout(() => {
      validateDefinition(definition, leave.signal).then(
        (problems) => leave.signal.aborted || setValidation({ problems, isJudged: true }),
        // A host that cannot be asked now says so when the definition is registered.
        () => leave.signal.aborted || setValidation(NOT_JUDGED),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [definition]);
  return validation;
}
