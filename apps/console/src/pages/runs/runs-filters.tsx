import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { STATUS_CHOICES } from '../../api/runs/filters.ts';
import { workflowsQuery } from '../../api/workflows.ts';
import { useMay } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { RunsSearch } from './runs-search.ts';

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
      <label className="flex items-center gap-2 text-sm h-9 px-1">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={search.all === true}
          onChange={(event) => onChange({ ...search, all: event.target.checked })}
        />
        Child runs, too
      </label>
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
