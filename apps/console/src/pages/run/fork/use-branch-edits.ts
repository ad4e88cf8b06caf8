import type { RunOptionsOverlay } from '@baton/client';
import { useMemo, useState } from 'react';
import {
  type EditableVariable,
  type Edits,
  editableVariables,
  editedConfiguration,
  editsOf,
} from './edited-variables.ts';
import { type ForkSource, useStateBefore } from './use-fork-source.ts';

/** The values that a person enters for a branch or a retry. */
export interface BranchEdits {
  readonly variables: readonly EditableVariable[] | undefined;
  readonly fault: unknown;
  readonly texts: Readonly<Record<string, string>>;
  readonly edits: Edits;
  readonly setText: (name: string, text: string) => void;
  readonly configuration: string;
  readonly configurationProblem: string | undefined;
  readonly setConfiguration: (text: string) => void;
  readonly hasProblem: boolean;
  readonly overlay: RunOptionsOverlay;
}

/** `at`: a branch begins before this event. Absent: the values are those of the end of the run. */
export function useBranchEdits({ snapshot, definition }: ForkSource, at: number | undefined): BranchEdits {
  const { data, error } = useStateBefore(snapshot.runId, Math.max(at ?? 1, 1), at !== undefined);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const before = snapshot.configurable ?? {};
  const [configuration, setConfiguration] = useState(() => JSON.stringify(before, null, 2));
  // A branch at index 0 is started again with the variables that the first event has set.
  const values = at === undefined ? snapshot.variables : data?.variables;
  const variables = useMemo(
    () => values && editableVariables(values, definition?.variables),
    [values, definition],
  );
  const edits = useMemo(() => editsOf(variables ?? [], texts), [variables, texts]);
  const configured = editedConfiguration(before, configuration);
  return {
    variables,
    fault: at === undefined ? null : error,
    texts,
    edits,
    setText: (name, text) => setTexts((known) => ({ ...known, [name]: text })),
    configuration,
    configurationProblem: configured?.kind === 'problem' ? configured.problem : undefined,
    setConfiguration,
    hasProblem: Object.keys(edits.problems).length > 0 || configured?.kind === 'problem',
    overlay: {
      ...(Object.keys(edits.changed).length > 0 && { variables: edits.changed as never }),
      ...(configured?.kind === 'value' && { configurable: configured.value as never }),
    },
  };
}
