import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type { DrawableGraph } from '../../graph/layout.ts';
import { Card } from '../../ui/card.tsx';
import type { EditorProblem } from '../../ui/editor/create-editor.ts';
import { placeText } from './problems.ts';

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
export function ProblemList({ problems, graph, isChanged, isJson, isJudged, onShow }: ProblemListProps) {
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
