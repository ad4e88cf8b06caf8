import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { workflowsQuery } from '../../api/workflows.ts';
import { useMay } from '../../session/session.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { StartDialog } from '../runs/start/start-dialog.tsx';
import { examplesOn } from './examples.ts';
import { StartExample } from './start-example.tsx';

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
