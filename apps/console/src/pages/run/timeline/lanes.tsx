import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { StatusIcon } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { LOOK_OF, LOOK_TEXT, STATUS_WORDS } from '../../../ui/status.ts';
import { useAtMoment, useRunViews } from '../follow/run-context.tsx';
import { lastUpTo, valueAt } from '../model/at.ts';
import { pixelOf, unitAtPixel, type View } from '../model/drawn-spans.ts';
import { idBelow } from '../model/runs.ts';
import type { Scale } from '../model/time-scale.ts';
import type { Lane, RunTrack } from '../model/tree.ts';
import { Arrows, Axis, Breaks } from './axis.tsx';
import { AXIS_HEIGHT, LANE_HEIGHT, moved, type Range, zoomed } from './geometry.ts';
import { LaneSpans } from './lane-spans.tsx';
import { LitLayer, MomentLayer } from './moment-layer.tsx';
import { useRangeDrag } from './use-range-drag.ts';

interface LanesProps {
  readonly lanes: readonly Lane[];
  readonly version: number;
  readonly scale: Scale;
  readonly range: Range;
  readonly onRange: (range: Range | undefined) => void;
  readonly onZoom: (factor: number) => void;
  readonly selected: readonly [from: number, to: number] | undefined;
  readonly onSelect: (selected: readonly [from: number, to: number]) => void;
}

/** The lanes, of which only those are made that are seen. */
export function Lanes({ lanes, version, scale, range, onRange, onZoom, selected, onSelect }: LanesProps) {
  const { store, moment, pointed } = useRunViews();
  const { tree } = store;
  const box = useRef<HTMLDivElement>(null);
  const drawing = useRef<HTMLDivElement>(null);
  const width = useWidth(drawing);
  const id = useId();
  const [chosen, setChosen] = useState(0);
  const rows = useVirtualizer({
    count: lanes.length,
    getScrollElement: () => box.current,
    estimateSize: () => LANE_HEIGHT,
    overscan: 4,
    scrollMargin: AXIS_HEIGHT,
  });
  const items = rows.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const top = first * LANE_HEIGHT;
  const height = items.length * LANE_HEIGHT;
  const tops = useMemo(() => new Map(lanes.map((lane, index) => [lane.key, index * LANE_HEIGHT])), [lanes]);
  const last = items.at(-1)?.index ?? -1;
  const seen = useMemo(
    () => new Set(lanes.slice(first, last + 1).map(({ key }) => key)),
    [lanes, first, last],
  );
  const view = useMemo<View>(
    () => ({ from: range.from, to: range.to, width: Math.max(1, width) }),
    [range.from, range.to, width],
  );
  useWheel(box, view, scale.length, onRange);

  /** The last event of a lane at or before a place of the drawing. */
  const eventAt = (x: number, y: number): number | undefined => {
    const lane = lanes[first + Math.floor(y / LANE_HEIGHT)];
    const run = lane === undefined ? undefined : tree.runs.get(lane.runId);
    if (run === undefined) return undefined;
    const position = scale.positionAt(unitAtPixel(view, x));
    return run.positions[Math.max(0, lastUpTo(run.positions, position))];
  };
  const { drag, handlers } = useRangeDrag({
    onSelect: ({ from, to }) =>
      onSelect([scale.positionAt(unitAtPixel(view, from)), scale.positionAt(unitAtPixel(view, to))]),
    onClick: (x, y) => {
      setChosen(first + Math.floor(y / LANE_HEIGHT));
      const position = eventAt(x, y);
      if (position !== undefined) moment.set(position);
    },
    onHover: (x, y) => pointed.set(eventAt(x, y)),
  });

  const move = (event: KeyboardEvent): void => {
    const lane = lanes[chosen];
    const positions = tree.runs.get(lane?.runId ?? '')?.positions ?? [];
    const at = lastUpTo(positions, moment.position());
    const step = (to: number): void => {
      const next = positions[Math.min(positions.length - 1, Math.max(0, to))];
      if (next !== undefined) moment.set(next);
    };
    const choose = (to: number): void => {
      const next = Math.min(lanes.length - 1, Math.max(0, to));
      setChosen(next);
      rows.scrollToIndex(next);
    };
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => step(at - 1),
      ArrowRight: () => step(at + 1),
      ArrowUp: () => choose(chosen - 1),
      ArrowDown: () => choose(chosen + 1),
      Home: () => step(0),
      End: () => step(positions.length - 1),
      '+': () => onZoom(2),
      '-': () => onZoom(0.5),
      '0': () => onRange(undefined),
    };
    const act = actions[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  };

  const marked = drag ?? selectedPixels(selected, tree.entries, scale, view);
  return (
    <div ref={box} className="max-h-96 overflow-y-auto relative">
      <div className="grid grid-cols-[7rem_minmax(0,1fr)] md:grid-cols-[13rem_minmax(0,1fr)]">
        <div className="sticky top-0 z-10 bg-surface border-b border-line" style={{ height: AXIS_HEIGHT }} />
        <div className="sticky top-0 z-10 bg-surface border-b border-line overflow-hidden">
          <Axis scale={scale} view={view} />
        </div>
        <div
          role="listbox"
          aria-label="Lanes. Up and down choose a lane, left and right move between its events, plus and minus zoom."
          aria-activedescendant={items.some(({ index }) => index === chosen) ? `${id}-${chosen}` : undefined}
          tabIndex={0}
          onKeyDown={move}
          className="relative border-r border-line -outline-offset-2"
          style={{ height: lanes.length * LANE_HEIGHT }}
        >
          {items.map(({ index }) => {
            const lane = lanes[index];
            const run = tree.runs.get(lane?.runId ?? '');
            if (lane === undefined || run === undefined) return null;
            return (
              <LaneLabel
                key={lane.key}
                id={`${id}-${index}`}
                lane={lane}
                run={run}
                below={idBelow(tree, lane.runId)}
                top={index * LANE_HEIGHT}
                isChosen={index === chosen}
                place={[index, lanes.length]}
                onChoose={() => setChosen(index)}
              />
            );
          })}
        </div>
        <div
          ref={drawing}
          className="relative overflow-hidden"
          style={{ height: lanes.length * LANE_HEIGHT }}
        >
          <svg
            aria-hidden
            width={view.width}
            height={height}
            viewBox={`0 ${top} ${view.width} ${height}`}
            className="absolute left-0 select-none touch-pan-y cursor-crosshair"
            style={{ top }}
            onPointerLeave={() => pointed.set(undefined)}
            {...handlers}
          >
            <Breaks scale={scale} view={view} top={top} height={height} />
            {items.map(({ index }) => (
              <line
                key={index}
                x1={0}
                x2={view.width}
                y1={(index + 1) * LANE_HEIGHT - 0.5}
                y2={(index + 1) * LANE_HEIGHT - 0.5}
                stroke="var(--line)"
              />
            ))}
            {items.map(({ index }) => {
              const lane = lanes[index];
              return lane === undefined ? null : (
                <LaneSpans
                  key={lane.key}
                  lane={lane}
                  entries={tree.entries}
                  scale={scale}
                  view={view}
                  top={index * LANE_HEIGHT}
                  version={version}
                />
              );
            })}
            <Arrows
              arrows={tree.arrows}
              entries={tree.entries}
              scale={scale}
              view={view}
              tops={tops}
              seen={seen}
              version={version}
            />
            {marked !== undefined && (
              <rect
                x={marked.from}
                y={top}
                width={Math.max(1, marked.to - marked.from)}
                height={height}
                fill="var(--accent)"
                fillOpacity={0.12}
                stroke="var(--accent)"
              />
            )}
            <MomentLayer scale={scale} view={view} top={top} height={height} />
            <LitLayer scale={scale} view={view} top={top} height={height} tops={tops} />
          </svg>
        </div>
      </div>
    </div>
  );
}

function selectedPixels(
  selected: LanesProps['selected'],
  entries: Parameters<Scale['unitOf']>[0][],
  scale: Scale,
  view: View,
): Range | undefined {
  const [from, to] = selected?.map((position) => entries[position]) ?? [];
  if (from === undefined || to === undefined) return undefined;
  return { from: pixelOf(view, scale.unitOf(from)), to: pixelOf(view, scale.unitOf(to)) };
}

/** Zooms with the wheel and the control key, and moves sideways with a sideways wheel. */
function useWheel(
  box: RefObject<HTMLElement | null>,
  view: View,
  length: number,
  onRange: (range: Range | undefined) => void,
): void {
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const turn = (event: WheelEvent): void => {
      const units = view.to - view.from;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const x = event.clientX - element.getBoundingClientRect().right + view.width;
        onRange(zoomed(view, length, event.deltaY < 0 ? 1.25 : 0.8, unitAtPixel(view, x)));
      } else if (event.deltaX !== 0 && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        onRange(moved(view, length, (event.deltaX / view.width) * units));
      }
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [box, view, length, onRange]);
}

interface LaneLabelProps {
  readonly id: string;
  readonly lane: Lane;
  readonly run: RunTrack;
  /** `.3`: which run below the root it is. */
  readonly below: string;
  readonly top: number;
  readonly isChosen: boolean;
  readonly place: readonly [index: number, count: number];
  readonly onChoose: () => void;
}

/** The name of a lane, with the status of its run at the moment. */
function LaneLabel({ id, lane, run, below, top, isChosen, place, onChoose }: LaneLabelProps) {
  const status = useAtMoment((_tree, position) => valueAt(run.status, position));
  const isAgent = lane.nodeId !== undefined;
  const look = status === undefined ? 'pending' : LOOK_OF[status];
  const word = status === undefined ? 'Not begun' : STATUS_WORDS[status];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus, and its keys choose a lane.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active lane.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-setsize={place[1]}
      aria-posinset={place[0] + 1}
      aria-label={`${lane.name} ${below}, ${isAgent ? 'agent' : word}`}
      title={`${lane.name} ${below} · ${isAgent ? 'Agent' : word}`}
      onClick={onChoose}
      className={classes(
        'absolute left-0 right-0 flex items-center gap-1.5 pr-1.5 text-xs border-b border-line cursor-pointer',
        isChosen ? 'bg-accent-ground' : 'hover:bg-sunken',
      )}
      style={{ top, height: LANE_HEIGHT, paddingLeft: 8 + Math.min(4, lane.depth) * 10 }}
    >
      {isAgent ? (
        <span aria-hidden className="text-muted">
          ↳
        </span>
      ) : (
        <span className={classes('shrink-0', LOOK_TEXT[look])}>
          <StatusIcon look={look} size={13} />
        </span>
      )}
      <span className={classes('truncate', isAgent && 'text-muted')}>
        <bdi>{lane.name}</bdi>
      </span>
      {below !== '' && !isAgent && <span className="ml-auto text-muted font-mono">{below}</span>}
    </div>
  );
}

/** The width of an element in pixels, as it changes. */
function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
