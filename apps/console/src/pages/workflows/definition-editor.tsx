import type { WorkflowDefinition } from '@baton/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, useMemo, useRef, useState } from 'react';
import { baton } from '../../api/baton.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import type { EditorProblem } from '../../ui/editor/create-editor.ts';
import type { EditorHandle } from '../../ui/editor/json-editor.tsx';
import { LazyJsonEditor } from '../../ui/editor/lazy-json-editor.tsx';
import { useMediaQuery, WIDE } from '../../ui/media-query.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { tell } from '../../ui/toast.tsx';
import { readDraft } from './draft.ts';
import { ProblemList } from './problem-list.tsx';
import { problemsByNode, problemsOfRefusal } from './problems.ts';
import { WORKFLOWS_KEY } from './queries.ts';
import { useSuggestionSource } from './use-suggestion-source.ts';
import { useValidation } from './use-validation.ts';

const DefinitionGraph = lazy(async () => ({
  default: (await import('../../graph/definition-graph.tsx')).DefinitionGraph,
}));

interface DefinitionEditorProps {
  /** The text to begin with. */
  readonly initial: string;
  readonly mayWrite: boolean;
  /** The text to begin with is not registered. */
  readonly isNew?: boolean;
  readonly onRegistered?: (workflowId: string) => void;
}

/** The definition as text, its drawing, and what the host finds wrong with it. */
export function DefinitionEditor({ initial, mayWrite, isNew = false, onRegistered }: DefinitionEditorProps) {
  const [text, setText] = useState(initial);
  const editor = useRef<EditorHandle>(null);
  const isWide = useMediaQuery(WIDE);
  const isChanged = isNew || text !== initial;
  const draft = useMemo(() => readDraft(text), [text]);
  const source = useSuggestionSource();
  const validation = useValidation(mayWrite && isChanged ? draft.definition : undefined);
  const register = useRegister(onRegistered);
  const refused = register.variables === draft.definition ? problemsOfRefusal(register.error) : [];
  const problems = refused.length > 0 ? refused : validation.problems;
  const graph = useDeferredValue(draft.graph);
  const atNodes = useMemo(
    () => (graph === undefined ? undefined : problemsByNode(problems, graph)),
    [problems, graph],
  );
  const show = (problem: EditorProblem) => editor.current?.show(problem.path);
  const showNode = (nodeId: string | undefined) => {
    const index = graph?.nodes.findIndex(({ id }) => id === nodeId) ?? -1;
    if (index >= 0) editor.current?.show(['nodes', index]);
  };
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card
        flush
        title="Definition"
        className="overflow-hidden"
        actions={
          mayWrite && (
            <>
              {text !== initial && <Button onClick={() => setText(initial)}>Discard changes</Button>}
              <Button
                kind="primary"
                busy={register.isPending}
                disabled={draft.definition === undefined || !isChanged}
                onClick={() => draft.definition !== undefined && register.mutate(draft.definition)}
              >
                Register
              </Button>
            </>
          )
        }
      >
        <div className="h-[30rem] lg:h-[36rem]">
          <LazyJsonEditor
            label="Definition of the workflow"
            text={text}
            onChange={setText}
            readOnly={!mayWrite}
            source={source}
            problems={problems}
            handle={editor}
          />
        </div>
      </Card>
      <div className="flex flex-col gap-4 min-w-0">
        <Card flush title="Graph of the text" className="overflow-hidden">
          <div className="h-80 lg:h-[22rem]">
            {graph === undefined ? (
              <p className="p-4 text-sm text-muted">
                The text is not JSON yet. The drawing comes back as soon as it is.
              </p>
            ) : (
              <Suspense fallback={<Skeleton rows={6} />}>
                <DefinitionGraph
                  graph={graph}
                  label="Graph of the text"
                  direction={isWide ? 'right' : 'down'}
                  {...(atNodes !== undefined && { problems: atNodes })}
                  onSelect={showNode}
                />
              </Suspense>
            )}
          </div>
        </Card>
        {register.error !== null && refused.length === 0 && <ErrorState error={register.error} />}
        <ProblemList
          problems={problems}
          graph={graph}
          isChanged={isChanged}
          isJson={draft.definition !== undefined}
          isJudged={validation.isJudged}
          onShow={show}
        />
      </div>
    </div>
  );
}

function useRegister(onRegistered: ((workflowId: string) => void) | undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (definition: WorkflowDefinition) => baton.workflows.register(definition),
    onSuccess: async ({ workflowId, version, warnings }) => {
      tell(`Version ${version} of ${workflowId} is registered. ${warnings.join(' ')}`.trim());
      await queries.invalidateQueries({ queryKey: WORKFLOWS_KEY });
      onRegistered?.(workflowId);
    },
  });
}
