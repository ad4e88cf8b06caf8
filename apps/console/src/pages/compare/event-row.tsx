import type { RunEvent } from '@baton/client';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode, useState } from 'react';
import { JsonView } from '../../ui/json-view.tsx';
import { ChangeMark, comparedWord, ValueChangesView } from '../../ui/value-changes.tsx';
import { type AlignedRow, comparablePayload } from './align.ts';
import { SIDES, type SideName } from './run-side.tsx';

interface EventRowProps {
  readonly row: AlignedRow;
  readonly runIds: readonly [a: string, b: string];
}

/** An event of each run beside each other, and the differences of their payloads. */
export const EventRow = memo(function EventRow({ row, runIds }: EventRowProps) {
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
