import type { WaitingInterrupt } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { baton } from '../../api/baton.ts';
import { useMay } from '../../session/session.ts';
import { Badge, LookBadge } from '../../ui/badge.tsx';
import { buttonClasses } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { shortId } from '../../ui/copy.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Ago } from '../../ui/times.tsx';
import { AnswerForm } from './answer/answer-form.tsx';
import { DecisionBar } from './answer/decision-bar.tsx';
import { EventWait } from './answer/event-wait.tsx';
import { ArtifactSection } from './artifact-section.tsx';
import { type Background, type Ending, endingOf } from './background.ts';
import { Deadline } from './deadline.tsx';
import { AskedBack, JudgementSection, QuorumSection } from './evidence.tsx';
import { KIND_LABELS } from './kinds.ts';
import { backgroundQuery, type QuestionData, questionKey, questionQuery } from './question.ts';

interface QuestionPanelProps {
  readonly place: WaitingInterrupt;
  readonly onAnswered: () => void;
}

/** One open question with everything that a person needs to answer it. */
export function QuestionPanel({ place, onAnswered }: QuestionPanelProps) {
  const question = useQuery(questionQuery(place));
  const background = useQuery(backgroundQuery(place)).data;
  return (
    <article className="bg-surface border border-line rounded-lg min-w-0" aria-labelledby="question-title">
      <header className="px-5 py-4 border-b border-line flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <LookBadge look="waiting">{KIND_LABELS[place.kind] ?? place.kind}</LookBadge>
          {place.expiresAt !== undefined && <Deadline at={place.expiresAt} />}
        </div>
        <h2 id="question-title" className="text-lg break-words">
          <bdi>{place.title}</bdi>
        </h2>
        {typeof question.data?.description === 'string' && (
          <p className="text-sm text-muted max-w-prose break-words">{question.data.description}</p>
        )}
        <p className="text-xs text-muted flex flex-wrap gap-x-1.5 gap-y-1 items-center">
          <span>Asked</span> <Ago at={place.requestedAt} />
          <span>by node</span> <Badge title={place.nodeId}>{place.nodeId}</Badge>
          <span>of</span>
          <Link
            to="/runs/$runId"
            params={{ runId: place.runId }}
            className="text-accent underline max-w-full truncate"
          >
            <bdi>{place.workflowId}</bdi> {shortId(place.runId)}
          </Link>
          {background?.startedBy !== undefined && (
            <span>
              which <bdi className="text-text">{background.startedBy}</bdi> started
            </span>
          )}
        </p>
      </header>
      {question.data !== undefined ? (
        <Body place={place} data={question.data} background={background} onAnswered={onAnswered} />
      ) : question.error === null ? (
        <Skeleton />
      ) : (
        <div className="p-5">
          <ErrorState error={question.error} retry={() => void question.refetch()} />
        </div>
      )}
    </article>
  );
}

interface BodyProps extends QuestionPanelProps {
  readonly data: QuestionData;
  readonly background: Background | undefined;
}

function Body({ place, data, background, onAnswered }: BodyProps) {
  const mayAnswer = useMay()('approvals:respond');
  const shared = { place, data, onAnswered };
  switch (place.kind) {
    case 'approval':
    case 'low-confidence':
      return (
        <>
          <div className="p-5 flex flex-col gap-5">
            <QuorumSection data={data} votes={background?.votes ?? []} />
            {background?.judgement !== undefined && <JudgementSection judgement={background.judgement} />}
            <ArtifactSection place={place} data={data} revision={background?.revision} />
            <AskedBack asked={background?.asked ?? []} />
          </div>
          {mayAnswer ? <DecisionBar {...shared} /> : <ReadOnly />}
        </>
      );
    case 'external-event':
      return <EventWait data={data} />;
    default:
      return mayAnswer ? <AnswerForm {...shared} /> : <ReadOnly />;
  }
}

function ReadOnly() {
  return (
    <p className="px-5 py-4 border-t border-line text-sm text-muted">
      Your key may read this question and not answer it. Answers need the scope <code>approvals:respond</code>
      .
    </p>
  );
}

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
