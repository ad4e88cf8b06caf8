import type { RunSnapshot } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, Hourglass } from 'lucide-react';
import type { ReactNode } from 'react';
import { hasEnded } from '../../../api/runs/run-row.ts';
import { useMay } from '../../../session/session.ts';
import { buttonClasses } from '../../../ui/button.tsx';
import { Ago, distanceText, useNow } from '../../../ui/times.tsx';
import { questionKey } from '../../inbox/question.ts';
import { questionsQuery } from './run-query.ts';

const MOST_QUESTIONS = 3;

/** The error of a run that failed, in plain view. */
export function FailureNote({ run }: { readonly run: RunSnapshot }) {
  const error = run.error as { readonly code?: string; readonly message?: string } | undefined;
  if (error === undefined) return null;
  return (
    <Note look="failed" icon={<CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />}>
      <p className="font-medium">
        {run.status === 'cancelled' ? 'The run was cancelled' : 'The run failed'}
        {error.code !== undefined && <span className="font-mono text-xs ml-2">{error.code}</span>}
      </p>
      <p className="text-text whitespace-pre-wrap break-words">
        <bdi>{error.message}</bdi>
      </p>
    </Note>
  );
}

/** The run stopped the engine and is not computed any more. */
export function HeldNote({ run }: { readonly run: RunSnapshot }) {
  if (run.held === undefined) return null;
  return (
    <Note look="failed" icon={<CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />}>
      <p className="font-medium">The run is held until an operator releases it</p>
      <p className="text-text break-words">{run.held.reason}</p>
    </Note>
  );
}

/** Why the run waits, with a way to answer. */
export function WaitingNote({ run }: { readonly run: RunSnapshot }) {
  const mayAnswer = useMay()('approvals:respond');
  const { data = [] } = useQuery({ ...questionsQuery(run.runId), enabled: !hasEnded(run) });
  if (hasEnded(run) || data.length === 0) return null;
  return (
    <Note look="waiting" icon={<Hourglass size={16} aria-hidden className="mt-0.5 shrink-0" />}>
      <ul className="flex flex-col gap-2">
        {data.slice(0, MOST_QUESTIONS).map((one) => (
          <li key={`${one.runId} ${one.interruptId}`} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <div className="min-w-0 flex-1 basis-60">
              <p className="font-medium break-words">
                <bdi>{one.title}</bdi>
              </p>
              <p className="text-text text-xs break-words">
                {WAITS[one.kind] ?? 'Waits for an answer'} at <bdi>{one.nodeId}</bdi>, asked{' '}
                <Ago at={one.requestedAt} />
                {one.expiresAt !== undefined && <Deadline at={one.expiresAt} />}
              </p>
            </div>
            {one.kind !== 'external-event' && (
              <Link
                to="/inbox"
                search={{ open: questionKey(one) }}
                className={buttonClasses(mayAnswer ? 'primary' : 'secondary')}
              >
                {mayAnswer ? 'Answer' : 'Show'}
              </Link>
            )}
          </li>
        ))}
      </ul>
      {data.length > MOST_QUESTIONS && (
        <Link to="/inbox" className="underline text-sm">
          {data.length - MOST_QUESTIONS} more in the inbox
        </Link>
      )}
    </Note>
  );
}

const WAITS: Readonly<Record<string, string>> = {
  approval: 'Waits for an approval',
  'low-confidence': 'Waits for an approval',
  clarification: 'Waits for an answer',
  'external-event': 'Waits for an event from outside',
};

function Deadline({ at }: { readonly at: string }) {
  const now = useNow();
  return <>, expires {distanceText(Date.parse(at), now)}</>;
}

interface NoteProps {
  readonly look: 'failed' | 'waiting';
  readonly icon: ReactNode;
  readonly children: ReactNode;
}

const LOOKS = {
  failed: 'border-status-failed bg-status-failed-ground text-status-failed',
  waiting: 'border-status-waiting bg-status-waiting-ground text-status-waiting',
} as const;

function Note({ look, icon, children }: NoteProps) {
  return (
    <div className={`flex gap-2.5 rounded-lg border px-4 py-3 text-sm ${LOOKS[look]}`}>
      {icon}
      <div className="min-w-0 flex-1 flex flex-col gap-1">{children}</div>
    </div>
  );
}
