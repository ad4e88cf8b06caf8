import type { RunSummary } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { baton } from '../../../api/baton.ts';
import { StatusBadge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { errorText, Skeleton } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/times.tsx';
import { saidText } from './conversations.ts';

/** A message and its reply: the task and the result of one run. */
export function Exchange({ run }: { readonly run: RunSummary }) {
  const snapshot = useQuery({
    // The time of the last change is a part of the key, so a run is read again only when it has changed.
    queryKey: ['runs', 'snapshot', run.runId, run.updatedAt],
    queryFn: ({ signal }) => baton.run(run.runId).snapshot({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (snapshot.isPending) return <Skeleton rows={2} className="p-0" />;
  if (snapshot.data === undefined) return <p className="text-sm text-danger">{errorText(snapshot.error)}</p>;
  const { inputs, variables, status, error } = snapshot.data;
  return (
    <div className="flex flex-col gap-2">
      <Said by="you" text={saidText(inputs.task)} />
      {status === 'completed' && <Said by="agent" text={saidText(variables.result)} />}
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        {status !== 'completed' && <StatusBadge status={status} />}
        {error !== undefined && <bdi className="text-danger break-words min-w-0">{error.message}</bdi>}
        <Ago at={run.createdAt} />
        <Link to="/runs/$runId" params={{ runId: run.runId }} className="text-accent underline">
          Show the run
        </Link>
      </p>
    </div>
  );
}

interface SaidProps {
  readonly by: 'you' | 'agent';
  readonly text: string;
}

export function Said({ by, text }: SaidProps) {
  return (
    <div
      className={classes(
        'rounded-lg px-3 py-2 max-w-[90%] w-fit min-w-0',
        by === 'you' ? 'bg-accent-ground ml-auto' : 'bg-sunken',
      )}
    >
      <span className="block text-xs text-muted">{by === 'you' ? 'Message' : 'Reply'}</span>
      <bdi className="block text-sm whitespace-pre-wrap break-words max-h-96 overflow-y-auto">{text}</bdi>
    </div>
  );
}
