import type { RunEvent } from '@baton/client';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { ChangeMark, comparedWord, ValueChangesView } from '../../ui/value-changes.tsx';
import { type AlignedRow, comparablePayload, groupRows } from './align.ts';
import { MOST_EVENTS } from './read-comparison.ts';
import { SIDES, type SideName } from './run-side.tsx';

const AT_ONCE = 50;

interface EventRowsProps {
  readonly rows: readonly AlignedRow[];
  readonly runIds: readonly [a: string, b: string];
  /** How many events before the first row are equal. */
  readonly common: number;
  readonly isCut: boolean;
}

/** The logs of the two runs from where they part. What is equal is collapsed. */
export function EventRows({ rows, runIds, common, isCut }: EventRowsProps) {
  const groups = useMemo(() => groupRows(rows), [rows]);
  const [shown, setShown] = useState(AT_ONCE);
  return (
    <Card title="Events" flush>
      <p className="px-4 py-2 text-sm text-muted border-b border-line bg-sunken">
        {common === 0
          ? 'The runs differ from their first event on.'
          : common === 1
            ? 'The first event is equal.'
            : `The first ${eventsText(common)} are equal.`}
      </p>
      <ol>
        {groups
          .slice(0, shown)
          .map((group) =>
            group.kind === 'equal' ? (
              <EqualGroup key={keyOf(group.rows[0])} rows={group.rows} runIds={runIds} />
            ) : (
              <EventRow key={keyOf(group.row)} row={group.row} runIds={runIds} />
            ),
          )}
      </ol>
      {groups.length > shown && (
        <div className="p-3 text-center">
          <Button onClick={() => setShown(shown + AT_ONCE)}>Show more</Button>
        </div>
      )}
      {isCut && groups.length <= shown && (
        <p className="px-4 py-3 text-sm text-muted">
          Only the first {MOST_EVENTS.toLocaleString('en')} events after the parting are compared here.
        </p>
      )}
    </Card>
  );
}

function eventsText(count: number): string {
  return count === 1 ? 'event' : `${count.toLocaleString('en')} events`;
}

function keyOf(row: AlignedRow | undefined): string {
  if (row === undefined) return '';
  return 'a' in row ? row.a.eventId : row.b.eventId;
}

function EqualGroup({ rows, runIds }: Pick<EventRowsProps, 'rows' | 'runIds'>) {
  const [open, setOpen] = useState(false);
  return (
    <li className="border-b border-line last:border-b-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="w-full flex items-center gap-2 px-4 py-1.5 text-sm text-muted bg-sunken text-left hover:text-text"
      >
        <ChevronRight size={14} aria-hidden className={open ? 'rotate-90' : ''} />
        {rows.length === 1 ? '1 equal event' : `${rows.length} equal events`}
      </button>
      {open && (
        <ol className="border-t border-line">
          {rows.map((row) => (
            <EventRow key={keyOf(row)} row={row} runIds={runIds} />
          ))}
        </ol>
      )}
    </li>
  );
}

interface EventRowProps {
  readonly row: AlignedRow;
  readonly runIds: readonly [a: string, b: string];
}

/** An event of each run beside each other, and the differences of their payloads. */
const EventRow = memo(function EventRow({ row, runIds }: EventRowProps) {
  const [open, setOpen] = useState(false);
  const [a, b] = ['a' in row ? row.a : undefined, 'b' in row ? row.b : undefined];
  const extras = row.kind !== 'equal' && (
    <span className="inline-flex items-center gap-2">
      <ChangeMark kind={row.kind} word={comparedWord(row.kind, SIDES)} />
      <button
        type="button"
        aria-expanded={open}
        className="text-xs underline text-accent min-h-6"
        onClick={() => setOpen(!open)}
      >
        {open ? 'Hide payload' : 'Payload'}
      </button>
    </span>
  );
  return (
    <li className="px-4 py-2 border-b border-line last:border-b-0 flex flex-col gap-2 min-w-0">
      <div className="grid md:grid-cols-2 gap-x-6 gap-y-1 min-w-0">
        <EventLine event={a} side="A">
          {extras}
        </EventLine>
        <EventLine event={b} side="B">
          {a === undefined && extras}
        </EventLine>
      </div>
      {row.kind === 'changed' && (
        <ValueChangesView
          before={comparablePayload(row.a, runIds)}
          after={comparablePayload(row.b, runIds)}
          sides={SIDES}
          most={6}
        />
      )}
      {open && (
        <div className="grid md:grid-cols-2 gap-x-6 gap-y-2 min-w-0">
          {a && <JsonView value={a.payload} name="A" depth={1} />}
          <div className="min-w-0 md:col-start-2">
            {b && <JsonView value={b.payload} name="B" depth={1} />}
          </div>
        </div>
      )}
    </li>
  );
});

interface EventLineProps {
  readonly event: RunEvent | undefined;
  readonly side: SideName;
  readonly children: ReactNode;
}

/** The number, the type and the node of an event. The number leads to the run at this moment. */
function EventLine({ event, side, children }: EventLineProps) {
  if (event === undefined) return <span className="hidden md:block" />;
  const { runId, sequence, type, nodeId } = event;
  return (
    <div className="text-sm flex flex-wrap items-center gap-x-2 min-h-6 min-w-0">
      <span className="md:sr-only text-xs text-muted">{side}</span>
      <Link
        to="/runs/$runId"
        params={{ runId }}
        search={{ at: sequence }}
        aria-label={`Event ${sequence} of run ${side}`}
        className="font-mono text-xs text-muted underline"
      >
        {sequence}
      </Link>
      <span className="font-mono text-xs break-all">{type}</span>
      {nodeId !== undefined && <bdi className="text-xs text-muted break-all">{nodeId}</bdi>}
      {children}
    </div>
  );
}
