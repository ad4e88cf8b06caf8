import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type AlignedRow, groupRows } from './align.ts';
import { EventRow } from './event-row.tsx';
import { MOST_EVENTS } from './read-comparison.ts';

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
