import { memo } from 'react';
import { durationText } from '../../../ui/times.tsx';
import { pixelOf, unitAtPixel, type View } from '../model/drawn-spans.ts';
import type { Scale } from '../model/time-scale.ts';
import type { Arrow, ArrowKind, Entry } from '../model/tree.ts';
import { AXIS_HEIGHT, LANE_HEIGHT } from './geometry.ts';

const TICK_WIDTH = 110;
/** A break that is narrower than this has no room for its length. */
const LABEL_WIDTH = 44;
const LEAST_WIDTH = 3;

/** The times, or the numbers of events, along the upper edge. */
export function Axis({ scale, view }: { readonly scale: Scale; readonly view: View }) {
  const count = Math.max(1, Math.floor(view.width / TICK_WIDTH));
  const ticks = Array.from({ length: count }, (_, index) => (index * view.width) / count);
  return (
    <svg width={view.width} height={AXIS_HEIGHT} aria-hidden className="block">
      {ticks.map((x) => {
        const value = scale.valueAt(unitAtPixel(view, x));
        return (
          <g key={x}>
            <line x1={x + 0.5} x2={x + 0.5} y1={14} y2={AXIS_HEIGHT} stroke="var(--line-strong)" />
            <text x={x + 4} y={15} fontSize={11} fill="var(--muted)">
              {scale.axis === 'time' ? `+${durationText(value)}` : `Event ${value}`}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

interface BreaksProps {
  readonly scale: Scale;
  readonly view: View;
  readonly top: number;
  readonly height: number;
}

/** Idle time that is drawn shorter than it was, with its true length. */
export function Breaks({ scale, view, top, height }: BreaksProps) {
  const shapes = scale.breaks.flatMap((one) => {
    const x = pixelOf(view, one.from);
    const width = pixelOf(view, one.to) - x;
    if (x > view.width || x + width < 0 || width < LEAST_WIDTH) return [];
    const length = durationText(one.silence.to - one.silence.from);
    return [
      <g key={one.silence.after}>
        <title>
          {one.silence.working ? 'Long work' : 'Idle'}: {length}, drawn shorter
        </title>
        <rect x={x} y={top} width={width} height={height} fill="url(#idle)" />
        {width > LABEL_WIDTH && (
          <text x={x + width / 2} y={top + height - 6} fontSize={10} textAnchor="middle" fill="var(--muted)">
            {length}
          </text>
        )}
      </g>,
    ];
  });
  return (
    <g>
      <defs>
        <pattern id="idle" width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width={6} height={6} fill="var(--sunken)" />
          <line x1={0} y1={0} x2={0} y2={6} stroke="var(--line)" strokeWidth={3} />
        </pattern>
      </defs>
      {shapes}
    </g>
  );
}

interface ArrowsProps {
  readonly arrows: readonly Arrow[];
  readonly entries: readonly Entry[];
  readonly scale: Scale;
  readonly view: View;
  /** The upper edge of each lane by its key. */
  readonly tops: ReadonlyMap<string, number>;
  /** Only arrows that begin or end in one of these lanes are drawn. */
  readonly seen: ReadonlySet<string>;
  readonly version: number;
}

const COLOURS: Readonly<Record<ArrowKind, string>> = {
  handoff: 'var(--running)',
  critic: 'var(--paused)',
  return: 'var(--line-strong)',
  merge: 'var(--completed)',
  refusal: 'var(--failed)',
};

const WORDS: Readonly<Record<ArrowKind, string>> = {
  handoff: 'Handoff',
  critic: 'A critic begins',
  return: 'The run has ended',
  merge: 'Merged into the run above',
  refusal: 'Not merged',
};

/** More arrows in one place would only be a block of colour. */
const MOST_ARROWS = 400;

/** Handoffs, returns and merges between lanes. */
export const Arrows = memo(function Arrows({ arrows, entries, scale, view, tops, seen }: ArrowsProps) {
  const shapes = [];
  for (const arrow of arrows) {
    if (shapes.length >= MOST_ARROWS) break;
    const { kind, at, from, to } = arrow;
    const lower = kind === 'handoff' || kind === 'critic' ? to : from;
    const entry = entries[at];
    if (entry === undefined || !seen.has(lower.key)) continue;
    const x = pixelOf(view, scale.unitOf(entry));
    if (x < 0 || x > view.width) continue;
    const start = (tops.get(from.key) ?? 0) + LANE_HEIGHT / 2;
    const end = (tops.get(to.key) ?? 0) + LANE_HEIGHT / 2;
    shapes.push(<ArrowShape key={`${kind}${at}`} kind={kind} x={x} start={start} end={end} />);
  }
  return <g>{shapes}</g>;
});

interface ArrowShapeProps {
  readonly kind: ArrowKind;
  readonly x: number;
  readonly start: number;
  readonly end: number;
}

function ArrowShape({ kind, x, start, end }: ArrowShapeProps) {
  const down = end > start ? 1 : -1;
  // Work that goes down leaves the middle of a lane and arrives above the spans of the other one.
  const from = start + (down * LANE_HEIGHT) / 2.6;
  const to = end - (down * LANE_HEIGHT) / 2.6;
  const colour = COLOURS[kind];
  return (
    <g stroke={colour} fill={colour}>
      <title>{WORDS[kind]}</title>
      <path
        d={`M ${x} ${from} V ${to}`}
        fill="none"
        strokeWidth={kind === 'merge' ? 2 : 1.5}
        strokeDasharray={kind === 'return' ? '3 3' : undefined}
      />
      <path d={`M ${x} ${to + down * 4} l -3.5 ${-down * 6} h 7 z`} stroke="none" />
    </g>
  );
}
