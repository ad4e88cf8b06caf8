import type { WorkflowDefinition } from '@baton/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { baton } from '../../api/baton.ts';
import type { DrawableGraph } from '../../graph/layout.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import type { EditorProblem } from '../../ui/editor/create-editor.ts';
import type { EditorHandle } from '../../ui/editor/json-editor.tsx';
import { LazyJsonEditor } from '../../ui/editor/lazy-json-editor.tsx';
import { useMediaQuery, WIDE } from '../../ui/media-query.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { tell } from '../../ui/toast.tsx';
import { readDraft } from './draft.ts';
import { placeText, problemsByNode, problemsOf, problemsOfRefusal } from './problems.ts';
import { WORKFLOWS_KEY } from './queries.ts';
import { useSuggestionSource } from './use-suggestion-source.ts';

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

interface ProblemListProps {
  readonly problems: readonly EditorProblem[];
  readonly graph: DrawableGraph | undefined;
  readonly isChanged: boolean;
  readonly isJson: boolean;
  /** Whether the host has judged the text as it is now. */
  readonly isJudged: boolean;
  readonly onShow: (problem: EditorProblem) => void;
}

/** What the host would refuse or warn about. Each problem leads to its place in the text. */
function ProblemList({ problems, graph, isChanged, isJson, isJudged, onShow }: ProblemListProps) {
  return (
    <Card title="Problems">
      <div aria-live="polite">
        {problems.length === 0 ? (
          <p className="flex items-center gap-2 text-sm text-muted">
            {isJson && (isJudged || !isChanged) ? (
              <CircleCheck size={16} aria-hidden />
            ) : (
              <CircleAlert size={16} aria-hidden />
            )}
            {sentence({ isChanged, isJson, isJudged })}
          </p>
        ) : (
          <ul className="flex flex-col gap-1 -mx-2">
            {problems.map((problem) => (
              <li key={`${problem.path.join('.')} ${problem.message}`}>
                <button
                  type="button"
                  onClick={() => onShow(problem)}
                  className="w-full text-left flex gap-2 rounded-md px-2 py-1.5 hover:bg-sunken"
                >
                  {problem.severity === 'error' ? (
                    <CircleAlert size={16} aria-hidden className="text-danger mt-0.5 shrink-0" />
                  ) : (
                    <TriangleAlert size={16} aria-hidden className="text-changed mt-0.5 shrink-0" />
                  )}
                  <span className="min-w-0 text-sm">
                    <span className="block font-medium break-words">
                      {placeText(problem, graph ?? { nodes: [] })}
                    </span>
                    <span className="block text-muted break-words">{problem.message}</span>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function sentence({
  isChanged,
  isJson,
  isJudged,
}: Pick<ProblemListProps, 'isChanged' | 'isJson' | 'isJudged'>): string {
  if (!isJson) return 'The text is not JSON. The editor marks the place.';
  if (!isChanged) return 'This version is registered.';
  return isJudged
    ? 'The host finds no problem with this definition.'
    : 'The host checks the definition at the latest when you register it.';
}

const PAUSE_MS = 500;

interface Validation {
  readonly problems: readonly EditorProblem[];
  /** Whether the host has judged the definition as it is now. */
  readonly isJudged: boolean;
}

const NOT_JUDGED: Validation = { problems: [], isJudged: false };

/** What the host says about a definition that is being written. It is asked when nothing was written for a moment. */
function useValidation(definition: WorkflowDefinition | undefined): Validation {
  const [validation, setValidation] = useState(NOT_JUDGED);
  useEffect(() => {
    // The marks of the last answer stay until the next one, so that they do not blink at every letter.
    setValidation(({ problems }) => (definition === undefined ? NOT_JUDGED : { problems, isJudged: false }));
    if (definition === undefined) return;
    const leave = new AbortController();
    const timer = setTimeout(() => {
      baton.workflows.validate(definition, { signal: leave.signal }).then(
        (check) => leave.signal.aborted || setValidation({ problems: problemsOf(check), isJudged: true }),
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
