import { useMemo } from 'react';
import { classes } from '../class-names.ts';
import { type DiffRow, diffRows } from './diff-rows.ts';
import { type MemberChange, memberChanges } from './value-text.ts';

const SIDES = {
  same: ['', ' ', 'unchanged'],
  removed: ['bg-removed-ground text-removed', '−', 'removed'],
  added: ['bg-added-ground text-added', '+', 'added'],
} as const;

/** How two values differ. Example: an artifact before and after the revision that a critic asked for. */
export function ValueDiff({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const changes = useMemo(() => memberChanges(before, after), [before, after]);
  if (changes.length === 0) return <p className="text-sm text-muted">Nothing differs.</p>;
  return (
    <div className="flex flex-col gap-3 min-w-0">
      {changes.map((change) => (
        <Change key={change.name ?? ''} change={change} />
      ))}
    </div>
  );
}

function Change({ change: { name, before, after } }: { readonly change: MemberChange }) {
  const rows = useMemo(() => diffRows(before, after), [before, after]);
  return (
    <section className="flex flex-col gap-1 min-w-0">
      {name !== undefined && (
        <h4 className="text-xs font-medium text-muted break-words">
          <bdi>{name}</bdi>
        </h4>
      )}
      {rows === undefined ? (
        <p className="text-sm text-muted">The two values differ in too many lines to be compared here.</p>
      ) : (
        <Lines rows={rows} />
      )}
    </section>
  );
}

/** Longer comparisons are cut: what differs beyond is not read by a person. */
const MOST_ROWS = 2_000;

function Lines({ rows }: { readonly rows: readonly DiffRow[] }) {
  return (
    <div className="rounded-md border border-line overflow-hidden font-mono text-xs leading-5">
      {rows.slice(0, MOST_ROWS).map((row, index) => (
        <Line key={index} row={row} />
      ))}
      {rows.length > MOST_ROWS && (
        <p className="px-2 py-1 text-muted bg-sunken">{rows.length - MOST_ROWS} more lines</p>
      )}
    </div>
  );
}

function Line({ row }: { readonly row: DiffRow }) {
  if (row.side === 'skipped') return <p className="px-2 text-muted bg-sunken">{row.count} equal lines</p>;
  const [look, mark, spoken] = SIDES[row.side];
  return (
    <div className={classes('flex gap-2 px-2', look)}>
      <span aria-hidden className="select-none w-3 shrink-0">
        {mark}
      </span>
      <span dir="auto" className="whitespace-pre-wrap break-words min-w-0 flex-1">
        {row.side !== 'same' && <span className="sr-only">{spoken}: </span>}
        {row.parts.map((part, index) =>
          part.changed ? (
            <b key={index} className="font-bold underline decoration-2 underline-offset-2">
              {part.text}
            </b>
          ) : (
            part.text
          ),
        )}
      </span>
    </div>
  );
}
