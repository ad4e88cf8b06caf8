import { Search, X } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { countText } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { useTreeLater } from '../follow/run-context.tsx';
import { FAMILIES, FAMILY_WORDS, type Family } from '../model/families.ts';
import type { LogFilter } from '../model/filter.ts';
import { idBelow, lanesInOrder } from '../model/runs.ts';

interface LogFiltersProps {
  readonly filter: LogFilter;
  readonly onFilter: (filter: LogFilter) => void;
}

/** A search starts when nobody has typed for this long. */
const PAUSE_MS = 200;

export function LogFilters({ filter, onFilter }: LogFiltersProps) {
  const { tree } = useTreeLater();
  const { laneCount } = tree;
  // The lanes are other ones only when their number is.
  const lanes = useMemo(() => lanesInOrder(tree), [tree, laneCount]);
  const [text, setText] = useState(filter.text ?? '');
  useEffect(() => {
    const wanted = text.trim().toLowerCase();
    if (wanted === (filter.text ?? '')) return;
    const timer = setTimeout(
      () => onFilter(changed(filter, { text: wanted === '' ? undefined : wanted })),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [text, filter, onFilter]);
  const [family] = filter.families ?? [];
  return (
    <div className="grid grid-cols-2 md:flex md:flex-wrap items-end gap-2 px-3 py-2 border-b border-line">
      <div className="relative col-span-2 md:w-80">
        <Search size={14} aria-hidden className="absolute left-2.5 top-2.5 text-muted" />
        <TextField
          label="Search the events"
          quiet
          type="search"
          placeholder="Search types, nodes and payloads"
          className="pl-8"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <SelectField
        label="Kind of event"
        quiet
        value={family ?? ''}
        onChange={({ target }) => {
          const chosen = FAMILIES.find((one) => one === target.value);
          onFilter(
            changed(filter, { families: chosen === undefined ? undefined : new Set<Family>([chosen]) }),
          );
        }}
      >
        <option value="">All kinds of events</option>
        {FAMILIES.map((one) => (
          <option key={one} value={one}>
            {FAMILY_WORDS[one]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Run or agent"
        quiet
        className="md:max-w-60"
        value={filter.lane ?? ''}
        onChange={({ target }) =>
          onFilter(changed(filter, { lane: target.value === '' ? undefined : target.value }))
        }
      >
        <option value="">All runs and agents</option>
        {lanes.map((lane) => (
          <option key={lane.key} value={lane.key}>
            {lane.name} {idBelow(tree, lane.runId)}
          </option>
        ))}
      </SelectField>
      {filter.range !== undefined && (
        <Button
          className="col-span-2"
          onClick={() => onFilter(changed(filter, { range: undefined }))}
          icon={<X size={14} aria-hidden />}
        >
          Events {countText(filter.range[0] + 1)} to {countText(filter.range[1] + 1)} of the timeline
        </Button>
      )}
    </div>
  );
}

type Changes = { readonly [Part in keyof LogFilter]: LogFilter[Part] | undefined };

/** The filter with some parts changed. A part that is undefined is removed. */
export function changed(filter: LogFilter, changes: Changes): LogFilter {
  const parts = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(parts) as LogFilter;
}
