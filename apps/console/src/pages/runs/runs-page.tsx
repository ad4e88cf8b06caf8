import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Play, Search } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { STATUS_CHOICES, statusesOf } from '../../api/runs/filters.ts';
import { rowsOf } from '../../api/runs/listed-runs.ts';
import { runListQuery } from '../../api/runs/runs-queries.ts';
import { workflowsQuery } from '../../api/workflows.ts';
import { type RunsSearch, readRunsSearch } from '../../search.ts';
import { useMay } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Unloaded } from '../../ui/states.tsx';
import { RunsList } from './runs-list.tsx';
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
  if (query.data === undefined) return <Unloaded query={query} rows={8} />;
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

interface RunsFiltersProps {
  readonly search: RunsSearch;
  readonly onChange: (search: RunsSearch) => void;
}

export function RunsFilters({ search, onChange }: RunsFiltersProps) {
  const may = useMay();
  const workflows = useQuery({ ...workflowsQuery, enabled: may('manifest:read') }).data ?? [];
  const known = workflows.some(({ workflowId }) => workflowId === search.workflow);
  const isFiltered = Object.keys(search).length > 0;
  return (
    <search className="flex flex-wrap items-end gap-2">
      <SearchBox text={search.q ?? ''} onChange={(q) => onChange({ ...search, q })} />
      <div className="w-40 max-md:w-[calc(50%-0.25rem)]">
        <SelectField
          label="Status"
          quiet
          value={search.status ?? ''}
          onChange={(event) => onChange({ ...search, status: event.target.value })}
        >
          <option value="">Every status</option>
          {STATUS_CHOICES.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="w-56 max-md:w-[calc(50%-0.25rem)]">
        <SelectField
          label="Workflow"
          quiet
          value={search.workflow ?? ''}
          onChange={(event) => onChange({ ...search, workflow: event.target.value })}
        >
          <option value="">Every workflow</option>
          {search.workflow !== undefined && !known && (
            <option value={search.workflow}>{search.workflow}</option>
          )}
          {workflows.map(({ workflowId }) => (
            <option key={workflowId} value={workflowId}>
              {workflowId}
            </option>
          ))}
        </SelectField>
      </div>
      <CheckField
        label="Child runs, too"
        checked={search.all === true}
        onChange={(all) => onChange({ ...search, all })}
        className="h-9 px-1"
      />
      {isFiltered && (
        <Button kind="quiet" onClick={() => onChange({})}>
          Clear the filters
        </Button>
      )}
    </search>
  );
}

/** Waits until the person has stopped typing, so that the host is not asked for every letter. */
const TYPING_MS = 250;

function SearchBox({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A link or the back button changes the text from outside.
  useEffect(() => setTyped(text), [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next.trim()), TYPING_MS);
  };
  return (
    <div className="relative w-72 max-md:w-full">
      <Search size={15} aria-hidden className="absolute left-2.5 top-2.5 text-muted pointer-events-none" />
      <TextField
        label="Search by run, workflow or tag"
        quiet
        type="search"
        placeholder="Run, workflow or tag"
        className="pl-8"
        value={typed}
        onChange={(event) => type(event.target.value)}
      />
    </div>
  );
}
