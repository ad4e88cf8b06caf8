import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Eye, Play } from 'lucide-react';
import { useState } from 'react';
import { baton } from '../../api/baton.ts';
import { workflowsQuery } from '../../api/workflows.ts';
import { useMay } from '../../session/session.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { tellError } from '../../ui/toast.tsx';
import { StartDialog } from '../runs/start/start-dialog.tsx';
import { type Example, examplesOn } from './examples.ts';

/** A host without runs: examples to begin with. */
export function Welcome() {
  const may = useMay();
  const [starting, setStarting] = useState(false);
  const workflows = useQuery({ ...workflowsQuery, enabled: may('manifest:read') });
  const examples = examplesOn(new Set(workflows.data?.map(({ workflowId }) => workflowId)));
  const mayStart = may('runs:create');
  const hasOthers = (workflows.data?.length ?? 0) > 0;
  return (
    <Page
      title="Welcome to Baton"
      description="Baton runs teams of agents and people, and records every step. Start an example and watch it happen; each of them works without an API key of a model."
    >
      {workflows.isLoading ? (
        <Skeleton />
      ) : workflows.error !== null ? (
        <ErrorState error={workflows.error} retry={() => void workflows.refetch()} />
      ) : examples.length > 0 ? (
        <>
          <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
            {examples.map((example) => (
              <StartExample key={example.workflowId} example={example} mayStart={mayStart} />
            ))}
          </div>
          <p className="text-sm text-muted">
            {mayStart
              ? 'All other workflows of this host are in the list of workflows.'
              : 'Your key may not start runs. Runs that others start appear here.'}{' '}
            <Link to="/workflows" className="text-accent underline">
              See the workflows
            </Link>
          </p>
        </>
      ) : (
        <EmptyState
          title="Nothing has run on this host yet"
          action={
            hasOthers && mayStart ? (
              <Button kind="primary" onClick={() => setStarting(true)}>
                Start a run
              </Button>
            ) : (
              <Link to="/workflows" className={buttonClasses('primary')}>
                Go to the workflows
              </Link>
            )
          }
        >
          {hasOthers
            ? 'Choose one of the workflows of this host and start it.'
            : 'Register a workflow first: on the page of the workflows, or with the command “baton workflows”.'}
        </EmptyState>
      )}
      {starting && <StartDialog onClose={() => setStarting(false)} />}
    </Page>
  );
}

interface StartExampleProps {
  readonly example: Example;
  readonly mayStart: boolean;
}

/** One example: what it does, what to look at, and the button that starts it and shows its run. */
function StartExample({ example, mayStart }: StartExampleProps) {
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: () => baton.runs.start(example.workflowId),
    onSuccess: ({ id }) => navigate({ to: '/runs/$runId', params: { runId: id } }),
    onError: tellError,
  });
  return (
    <section
      className="bg-surface border border-line rounded-lg p-5 flex flex-col gap-3"
      aria-labelledby={`example-${example.workflowId}`}
    >
      <div>
        <h2 id={`example-${example.workflowId}`}>{example.title}</h2>
        <p className="font-mono text-xs text-muted mt-0.5">{example.workflowId}</p>
      </div>
      <p className="text-sm">{example.about}</p>
      <p className="text-sm text-muted flex gap-2">
        <Eye size={16} aria-hidden className="shrink-0 mt-0.5" />
        <span>{example.look}</span>
      </p>
      {mayStart && (
        <Button
          kind="primary"
          className="mt-auto self-start"
          busy={start.isPending}
          icon={<Play size={15} aria-hidden />}
          onClick={() => start.mutate()}
          aria-label={`Start the example ${example.title}`}
        >
          Start
        </Button>
      )}
    </section>
  );
}
