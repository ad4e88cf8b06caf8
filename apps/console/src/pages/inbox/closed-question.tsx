import type { WaitingInterrupt } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { baton } from '../../api/baton.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Ago } from '../../ui/times.tsx';
import { type Ending, endingOf } from './background.ts';
import { questionKey } from './question.ts';

interface ClosedQuestionProps {
  /** The key of the question, as the address names it. */
  readonly open: string;
  readonly next: WaitingInterrupt | undefined;
}

/** A question that this page has shown, or that a link names, and that is no longer open: who closed it, and how. */
export function ClosedQuestion({ open, next }: ClosedQuestionProps) {
  const slash = open.indexOf('/');
  const runId = open.slice(0, slash);
  const interruptId = open.slice(slash + 1);
  const ending = useQuery({
    queryKey: ['question', open, 'ending'],
    queryFn: async ({ signal }) => endingOf(await baton.run(runId).log({ signal }), interruptId) ?? null,
  });
  return (
    <Card>
      <div role="status" className="flex flex-col items-start gap-3">
        <h2>This question is no longer open</h2>
        {ending.isPending ? (
          <Skeleton rows={1} className="p-0 w-64" />
        ) : (
          <p className="text-sm text-muted">
            {ending.data ? <EndingText ending={ending.data} /> : 'It was withdrawn, or its run has ended.'}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          {slash > 0 && (
            <Link to="/runs/$runId" params={{ runId }} className={buttonClasses('secondary')}>
              Open the run
            </Link>
          )}
          {next !== undefined && (
            <Link to="/inbox" search={{ open: questionKey(next) }} className={buttonClasses('primary')}>
              Next question
            </Link>
          )}
        </div>
      </div>
    </Card>
  );
}

const ENDINGS: Readonly<Record<string, string>> = {
  accept: 'accepted it',
  'edit-accept': 'edited and accepted it',
  reject: 'rejected it',
  refine: 'asked for another version',
};

function EndingText({ ending: { outcome, action = '', by = 'Somebody', at } }: { readonly ending: Ending }) {
  if (outcome === 'timeout') return 'It was not answered in time.';
  if (outcome === 'withdrawn') return 'It was withdrawn, because the run no longer needs the answer.';
  return (
    <>
      <bdi className="text-text font-medium">{by}</bdi> {ENDINGS[action] ?? 'answered it'} <Ago at={at} />.
    </>
  );
}
