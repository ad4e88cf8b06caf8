import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { countText } from '../../../ui/amounts.ts';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/class-names.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { LOOK_TEXT, type StatusLook } from '../../../ui/status.ts';
import { durationText } from '../../../ui/times.tsx';
import {
  useIsLive,
  useLit,
  usePosition,
  useRunViews,
  useTree,
  useTreeLater,
} from '../follow/run-context.tsx';
import { lastUpTo } from '../model/at.ts';
import type { Lit } from '../model/causes.ts';
import { eventText } from '../model/event-text.ts';
import { type Filtered, goOn, type LogFilter, newFiltered } from '../model/filter.ts';
import type { Entry } from '../model/tree.ts';
import { LogFilters } from './log-filters.tsx';
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

type RowLight = 'pointed' | 'cause' | 'effect' | undefined;

interface EventRowProps {
  readonly id: string;
  readonly entry: Entry;
  readonly start: number;
  readonly isMoment: boolean;
  /** The event comes after the moment that is shown. */
  readonly isLater: boolean;
  readonly light: RowLight;
  readonly isNarrow: boolean;
  readonly place: readonly [index: number, count: number];
  readonly top: number;
  readonly height: number;
  readonly onChoose: (position: number) => void;
  readonly onPoint: (position: number | undefined) => void;
}

const LIGHTS: Readonly<Record<Exclude<RowLight, undefined>, string>> = {
  pointed: 'bg-sunken',
  cause: 'bg-changed-ground',
  effect: 'bg-added-ground',
};

const LIGHT_WORDS: Readonly<Record<Exclude<RowLight, undefined>, string>> = {
  pointed: '',
  cause: 'cause',
  effect: 'effect',
};

/** One event of the log. */
function EventRow(props: EventRowProps) {
  const { id, entry, start, isMoment, isLater, light, isNarrow, place, top, height } = props;
  const { event, lane, position, time } = entry;
  const word = light === undefined ? '' : LIGHT_WORDS[light];
  const cells = (
    <>
      <span className="tabular-nums text-muted text-right shrink-0 w-12">{event.sequence}</span>
      <span className="tabular-nums text-muted shrink-0 w-20 text-right">+{durationText(time - start)}</span>
      <span className="truncate shrink-0 w-36">
        <bdi>{lane.name}</bdi>
      </span>
      <span className={classes('truncate shrink-0 w-56 font-mono text-xs', typeColour(event.type))}>
        {event.type}
      </span>
      <span className="truncate text-muted min-w-0 flex-1">
        {event.nodeId !== undefined && (
          <>
            <bdi className="text-text">{event.nodeId}</bdi>{' '}
          </>
        )}
        <bdi>{eventText(event)}</bdi>
      </span>
      {word !== '' && <span className="text-xs font-medium shrink-0">{word}</span>}
    </>
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus, and its keys move between rows.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active row.
    <div
      id={id}
      role="option"
      aria-selected={isMoment}
      aria-setsize={place[1]}
      aria-posinset={place[0] + 1}
      onClick={() => props.onChoose(position)}
      onPointerEnter={() => props.onPoint(position)}
      onPointerLeave={() => props.onPoint(undefined)}
      className={classes(
        'absolute inset-x-0 px-3 text-sm cursor-pointer border-l-2',
        isNarrow ? 'flex flex-col justify-center' : 'flex items-center gap-3',
        isMoment ? 'border-accent bg-accent-ground' : 'border-transparent',
        !isMoment && (light === undefined ? 'hover:bg-sunken' : LIGHTS[light]),
        isLater && 'opacity-60',
      )}
      style={{ top, height }}
    >
      {isNarrow ? (
        <>
          <div className="flex gap-2 items-baseline min-w-0">
            <span className="tabular-nums text-muted text-xs">{event.sequence}</span>
            <span className={classes('truncate font-mono text-xs', typeColour(event.type))}>
              {event.type}
            </span>
            <span className="ml-auto tabular-nums text-muted text-xs whitespace-nowrap">
              {word !== '' && <b className="text-text">{word} </b>}+{durationText(time - start)}
            </span>
          </div>
          <div className="truncate text-xs text-muted">
            <bdi className="text-text">{lane.name}</bdi> <bdi>{event.nodeId}</bdi>{' '}
            <bdi>{eventText(event)}</bdi>
          </div>
        </>
      ) : (
        cells
      )}
    </div>
  );
}

const COLOURS: readonly (readonly [end: string, look: StatusLook])[] = [
  ['.failed', 'failed'],
  ['.completed', 'completed'],
  ['.granted', 'completed'],
  ['.rejected', 'failed'],
  ['.requested', 'waiting'],
  ['.suspended', 'waiting'],
  ['.paused', 'paused'],
];

function typeColour(type: string): string {
  const look = COLOURS.find(([end]) => type.endsWith(end))?.[1];
  return look === undefined ? '' : LOOK_TEXT[look];
}

/** One share of the search. Between shares the browser can draw and answer to people. */
const SHARE_MS = 6;

/** The positions of the events that a filter lets through. They grow as the log does. */
function useFiltered(filter: LogFilter): {
  readonly matches: readonly number[];
  readonly isSearching: boolean;
} {
  const { tree, version } = useTreeLater();
  const filtered = useMemo<Filtered>(() => newFiltered(filter), [filter]);
  const [, setSeen] = useState(0);
  const [isSearching, setSearching] = useState(false);
  // A new version of the tree has more events.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = (): void => {
      const end = performance.now() + SHARE_MS;
      const isLeft = goOn(filtered, tree, () => performance.now() > end);
      setSeen(filtered.upTo);
      setSearching(isLeft);
      if (isLeft) timer = setTimeout(work, 0);
    };
    work();
    return () => clearTimeout(timer);
  }, [filtered, tree, version]);
  return { matches: filtered.matches, isSearching };
}
