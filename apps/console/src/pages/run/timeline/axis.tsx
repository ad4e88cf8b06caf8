import { durationText } from '../../../ui/times.tsx';
import { pixelOf, unitAtPixel, type View } from '../model/drawn-spans.ts';
import type { Scale } from '../model/time-scale.ts';
import { AXIS_HEIGHT } from './geometry.ts';

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
