import { memo } from 'react';
import { pixelOf, type View } from '../model/drawn-spans.ts';
import type { Scale } from '../model/time-scale.ts';
import type { Arrow, ArrowKind, Entry } from '../model/tree.ts';
import { LANE_HEIGHT } from './geometry.ts';

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
