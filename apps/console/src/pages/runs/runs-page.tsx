import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { statusesOf } from '../../api/runs/filters.ts';
import { rowsOf } from '../../api/runs/listed-runs.ts';
import { runListQuery } from '../../api/runs/runs-queries.ts';
import { useMay } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { RunsFilters } from './runs-filters.tsx';
import { RunsList } from './runs-list.tsx';
import { type RunsSearch, readRunsSearch } from './runs-search.ts';
import { StartDialog } from './start/start-dialog.tsx';

/** All runs of the tenant, newest first, as they happen. */
export function RunsPage() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const may = useMay();
  const [starting, setStarting] = useState(false);
  const filter = (next: RunsSearch) => void navigate({ search: readRunsSearch({ ...next }), replace: true });
  const start = may('runs:create') && (
    <Button kind="primary" icon={<Play size={15} aria-hidden />} onClick={() => setStarting(true)}>
      Start a run
    </Button>
  );
  return (
    <Page title="Runs" actions={start}>
      <RunsFilters search={search} onChange={filter} />
      <Card flush>
        <List search={search} onClear={() => filter({})} />
      </Card>
      {starting && (
        <StartDialog
          onClose={() => setStarting(false)}
          {...(search.workflow !== undefined && { workflowId: search.workflow })}
        />
      )}
    </Page>
  );
}

function List({ search, onClear }: { readonly search: RunsSearch; readonly onClear: () => void }) {
  const { q, status, workflow, all } = search;
  const statuses = statusesOf(status);
  const query = useInfiniteQuery(
    runListQuery({
      roots: all !== true,
      ...(q !== undefined && { q }),
      ...(statuses !== undefined && { statuses }),
      ...(workflow !== undefined && { workflowId: workflow }),
    }),
  );
  const runs = useMemo(() => rowsOf(query.data), [query.data]);
  const { fetchNextPage, hasNextPage, isFetching } = query;
  const readMore = useCallback(() => {
    if (!isFetching) void fetchNextPage();
  }, [isFetching, fetchNextPage]);
  if (query.isPending) return <Skeleton rows={8} />;
  if (query.data === undefined) {
    return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  }
  if (runs.length === 0 && !hasNextPage)
    return <NoRuns isFiltered={Object.keys(search).length > 0} onClear={onClear} />;
  return <RunsList runs={runs} hasMore={hasNextPage} readMore={readMore} />;
}

function NoRuns({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  return isFiltered ? (
    <EmptyState
      title="No run fits these filters"
      action={<Button onClick={onClear}>Clear the filters</Button>}
    >
      Runs appear here as soon as they fit.
    </EmptyState>
  ) : (
    <EmptyState title="No run was started yet">
      A run is one execution of a workflow. Start one, and watch it here.
    </EmptyState>
  );
}
