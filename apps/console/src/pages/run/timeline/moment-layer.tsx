import { useLit, usePosition, useRunViews } from '../follow/run-context.tsx';
import { pixelOf, type View } from '../model/drawn-spans.ts';
import type { Scale } from '../model/time-scale.ts';
import { LANE_HEIGHT } from './geometry.ts';

interface LayerProps {
  readonly scale: Scale;
  readonly view: View;
  readonly top: number;
  readonly height: number;
}

/** A line at the moment that is shown. What comes later is covered by a veil. */
export function MomentLayer({ scale, view, top, height }: LayerProps) {
  const { tree } = useRunViews().store;
  const position = usePosition();
  const entry = tree.entries[position];
  if (entry === undefined) return null;
  const isLast = position === tree.entries.length - 1;
  const x = Math.round(pixelOf(view, scale.unitOf(entry)));
  return (
    <g pointerEvents="none">
      {!isLast && x < view.width && (
        <rect
          x={Math.max(0, x)}
          y={top}
          width={view.width - Math.max(0, x)}
          height={height}
          fill="var(--surface)"
          opacity={0.6}
        />
      )}
      {x >= 0 && x <= view.width && (
        <line x1={x} x2={x} y1={top} y2={top + height} stroke="var(--accent)" strokeWidth={2} />
      )}
    </g>
  );
}

interface LitLayerProps extends LayerProps {
  readonly tops: ReadonlyMap<string, number>;
}

const MARKS = [
  ['causes', 'var(--changed)'],
  ['effects', 'var(--added)'],
] as const;

/** Marks at the event that is pointed at, at its causes and at its effects, with a line to each. */
export function LitLayer({ scale, view, top, height, tops }: LitLayerProps) {
  const { tree } = useRunViews().store;
  const lit = useLit();
  const placeOf = (position: number) => {
    const entry = tree.entries[position];
    const laneTop = entry === undefined ? undefined : tops.get(entry.lane.key);
    if (entry === undefined || laneTop === undefined) return undefined;
    return { x: pixelOf(view, scale.unitOf(entry)), y: laneTop + LANE_HEIGHT / 2 };
  };
  const self = lit === undefined ? undefined : placeOf(lit.position);
  if (lit === undefined || self === undefined) return null;
  const isSeen = ({ x, y }: { readonly x: number; readonly y: number }): boolean =>
    x >= -4 && x <= view.width + 4 && y >= top - LANE_HEIGHT && y <= top + height + LANE_HEIGHT;
  return (
    <g pointerEvents="none">
      {MARKS.map(([direction, colour]) => (
        <g key={direction} stroke={colour} fill={colour}>
          {[...lit[direction]].map((position) => {
            const place = placeOf(position);
            if (place === undefined || !isSeen(place)) return null;
            return (
              <g key={position}>
                <line x1={place.x} y1={place.y} x2={self.x} y2={self.y} strokeWidth={1} opacity={0.6} />
                <path d={`M ${place.x} ${place.y - 6} l 6 6 l -6 6 l -6 -6 z`} />
              </g>
            );
          })}
        </g>
      ))}
      <circle cx={self.x} cy={self.y} r={6} fill="var(--surface)" stroke="var(--accent)" strokeWidth={3} />
    </g>
  );
}
