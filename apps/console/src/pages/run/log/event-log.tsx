import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { countText } from '../../../ui/amounts.ts';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useIsLive, useLit, usePosition, useRunViews, useTree } from '../follow/run-context.tsx';
import { lastUpTo } from '../model/at.ts';
import type { Lit } from '../model/causes.ts';
import type { LogFilter } from '../model/filter.ts';
import { EventRow, type RowLight } from './event-row.tsx';
import { LogFilters } from './log-filters.tsx';
import { useFiltered } from './use-filtered.ts';
import { useNarrow } from './use-narrow.ts';

/** In pixels. */
const LIST_HEIGHT = 420;

interface EventLogProps {
  readonly filter: LogFilter;
  readonly onFilter: (filter: LogFilter) => void;
}

/** The events of the run and its descendants in the order in which they happened. */
export function EventLog({ filter, onFilter }: EventLogProps) {
  const { tree } = useTree();
  const { matches, isSearching } = useFiltered(filter);
  const shown = isSearching
    ? 'searching'
    : `${countText(matches.length)} of ${countText(tree.entries.length)}`;
  return (
    <Card
      title="Log"
      actions={<span className="text-xs text-muted tabular-nums whitespace-nowrap">{shown} events</span>}
      flush
    >
      <LogFilters filter={filter} onFilter={onFilter} />
      {matches.length === 0 && !isSearching && tree.entries.length > 0 ? (
        <EmptyState title="No event passes the filters">
          Remove a filter, or search for another text.
        </EmptyState>
      ) : (
        <EventList matches={matches} />
      )}
    </Card>
  );
}

function EventList({ matches }: { readonly matches: readonly number[] }) {
  const { store, moment, pointed } = useRunViews();
  const { tree } = store;
  const position = usePosition();
  const isLive = useIsLive();
  const lit = useLit();
  const isNarrow = useNarrow();
  const height = isNarrow ? 48 : 30;
  const list = useRef<HTMLDivElement>(null);
  const [hasFocus, setFocus] = useState(false);
  const id = useId();
  const rows = useVirtualizer({
    count: matches.length,
    getScrollElement: () => list.current,
    estimateSize: () => height,
    overscan: 8,
  });
  const current = lastUpTo(matches, position);
  // Rows of another height are measured again.
  useEffect(() => rows.measure(), [height]);
  useEffect(() => {
    if (current < 0) return;
    // Once for each frame: moving a list makes the browser lay out the page.
    const frame = requestAnimationFrame(() => {
      const top = current * height;
      const seen = rows.scrollOffset ?? 0;
      const isSeen = top >= seen && top + height <= seen + LIST_HEIGHT;
      if (isLive || !isSeen) {
        list.current?.scrollTo({ top: isLive || top > seen ? top + height - LIST_HEIGHT : top });
      }
    });
    return () => cancelAnimationFrame(frame);
  }, [current, isLive, rows, height]);
  useEffect(() => {
    if (hasFocus) pointed.set(position);
  }, [hasFocus, position, pointed]);

  const move = (event: KeyboardEvent): void => {
    const to = KEYS[event.key]?.(current, matches.length);
    if (to === undefined) return;
    event.preventDefault();
    const next = matches[Math.min(matches.length - 1, Math.max(0, to))];
    if (next !== undefined) moment.set(next);
  };
  const start = tree.entries[0]?.time ?? 0;
  const shown = rows.getVirtualItems();
  // Only a row that is there can be named.
  const active = shown.some(({ index }) => index === current) ? `${id}-${matches[current]}` : undefined;
  return (
    <div
      ref={list}
      role="listbox"
      aria-label="Events"
      tabIndex={0}
      aria-activedescendant={active}
      onKeyDown={move}
      onFocus={() => setFocus(true)}
      onBlur={() => {
        setFocus(false);
        pointed.set(undefined);
      }}
      className="overflow-y-auto overflow-x-hidden -outline-offset-2"
      style={{ height: LIST_HEIGHT }}
    >
      <div className="relative" role="presentation" style={{ height: rows.getTotalSize() }}>
        {shown.map((row) => {
          const at = matches[row.index] ?? -1;
          const entry = tree.entries[at];
          if (entry === undefined) return null;
          return (
            <EventRow
              key={at}
              id={`${id}-${at}`}
              entry={entry}
              start={start}
              isMoment={at === position}
              isLater={at > position}
              light={lightOf(lit, at)}
              isNarrow={isNarrow}
              place={[row.index, matches.length]}
              top={row.start}
              height={height}
              onChoose={moment.set}
              onPoint={pointed.set}
            />
          );
        })}
      </div>
    </div>
  );
}

const KEYS: Readonly<Record<string, (current: number, count: number) => number>> = {
  ArrowDown: (current) => current + 1,
  ArrowUp: (current) => current - 1,
  PageDown: (current) => current + 12,
  PageUp: (current) => current - 12,
  Home: () => 0,
  End: (_current, count) => count - 1,
};

function lightOf(lit: Lit | undefined, position: number): RowLight {
  if (lit === undefined) return undefined;
  if (lit.position === position) return 'pointed';
  return lit.causes.has(position) ? 'cause' : lit.effects.has(position) ? 'effect' : undefined;
}
