import { useDeferredValue } from 'react';
import { CopyText } from '../../../ui/copy.tsx';
import { JsonView } from '../../../ui/json-view.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Facts } from '../../../ui/table.tsx';
import { usePosition, useRunViews, useTree } from '../follow/run-context.tsx';
import { idBelow } from '../model/runs.ts';
import type { Entry } from '../model/tree.ts';

/** At most this many causes or effects are listed as links. */
const MOST_LINKS = 12;

/** The event of the moment: what it says, why it happened, and what it caused. */
export function EventInspector() {
  const { tree } = useTree();
  const position = useDeferredValue(usePosition());
  const entry = tree.entries[position];
  if (entry === undefined) {
    return <EmptyState title="No event yet">The first event of the run will be shown here.</EmptyState>;
  }
  const { event, lane, causes } = entry;
  return (
    <div className="flex flex-col gap-3">
      <Facts
        facts={[
          [
            'Event',
            <span key="type" className="font-mono text-xs">
              {event.type}
            </span>,
          ],
          [
            'Run',
            <span key="run">
              <bdi>{lane.name}</bdi> <span className="text-muted">{idBelow(tree, event.runId)}</span>
            </span>,
          ],
          ...(event.nodeId === undefined ? [] : [['Node', <bdi key="node">{event.nodeId}</bdi>] as const]),
          ['Time', new Date(event.timestamp).toLocaleString(undefined, TIME)],
          ['Id', <CopyText key="id" text={event.eventId} shown={`…:${event.sequence}`} label="event id" />],
          ['Caused by', <Links key="causes" positions={causes} none="No event names a cause" />],
          ['Caused', <Links key="effects" positions={tree.effects.get(position) ?? []} none="Nothing" />],
        ]}
      />
      <div className="border-t border-line pt-2 min-w-0">
        <h3 className="mb-1">Payload</h3>
        <JsonView key={event.eventId} value={event.payload} />
      </div>
    </div>
  );
}

const TIME: Intl.DateTimeFormatOptions = {
  dateStyle: 'medium',
  timeStyle: 'medium',
};

function Links({ positions, none }: { readonly positions: readonly number[]; readonly none: string }) {
  const { store } = useRunViews();
  const entries = positions
    .slice(0, MOST_LINKS)
    .map((position) => store.tree.entries[position])
    .filter((entry) => entry !== undefined);
  if (entries.length === 0) return <span className="text-muted">{none}</span>;
  return (
    <span className="flex flex-col items-start">
      {entries.map((entry) => (
        <EventLink key={entry.position} entry={entry} />
      ))}
      {positions.length > MOST_LINKS && (
        <span className="text-muted text-xs">{positions.length - MOST_LINKS} more</span>
      )}
    </span>
  );
}

/** A link to another event. Its focus lights up the causes and effects of that event. */
function EventLink({ entry: { position, event, lane } }: { readonly entry: Entry }) {
  const { moment, pointed } = useRunViews();
  return (
    <button
      type="button"
      className="text-accent hover:underline text-left min-h-6 max-w-full truncate"
      onClick={() => moment.set(position)}
      onPointerEnter={() => pointed.set(position)}
      onPointerLeave={() => pointed.set(undefined)}
      onFocus={() => pointed.set(position)}
      onBlur={() => pointed.set(undefined)}
    >
      <span className="font-mono text-xs">{event.type}</span>{' '}
      <span className="text-muted text-xs">
        <bdi>{lane.name}</bdi> {event.sequence}
      </span>
    </button>
  );
}
