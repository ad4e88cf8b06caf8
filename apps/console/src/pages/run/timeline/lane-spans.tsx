import { memo } from 'react';
import { lookColour, lookGround, type StatusLook } from '../../../ui/status.ts';
import { type DrawnSpan, drawnSpans, type View } from '../model/drawn-spans.ts';
import type { Scale } from '../model/time-scale.ts';
import type { Entry, Lane, Span } from '../model/tree.ts';
import { BAR_HEIGHT, BAR_TOP, fitting, rowBox } from './geometry.ts';

interface LaneSpansProps {
  readonly lane: Lane;
  readonly entries: readonly Entry[];
  readonly scale: Scale;
  readonly view: View;
  readonly top: number;
  /** Another value when the tree has changed. */
  readonly version: number;
}

/** The spans of one lane. */
export const LaneSpans = memo(function LaneSpans({ lane, entries, scale, view, top }: LaneSpansProps) {
  const drawn = drawnSpans(lane.spans, entries, scale, view);
  return (
    <g transform={`translate(0 ${top})`}>
      {drawn.map((one) => (
        <SpanShape key={`${one.span.kind}${one.span.from}`} drawn={one} rows={lane.rows} />
      ))}
    </g>
  );
});

function SpanShape({
  drawn: { span, x, width, count },
  rows,
}: {
  readonly drawn: DrawnSpan;
  readonly rows: number;
}) {
  const look = lookOf(span);
  if (span.kind === 'effect') {
    return (
      <rect x={x} y={BAR_TOP + BAR_HEIGHT - 5} width={width} height={4} rx={2} fill={lookColour(look)}>
        <title>{span.text}</title>
      </rect>
    );
  }
  const isGap = span.kind === 'wait' || span.kind === 'pause';
  const { y, height } = isGap ? { y: BAR_TOP, height: BAR_HEIGHT } : rowBox(span.row, rows);
  const name = count > 1 ? `${count} spans` : span.text;
  const text = height >= 11 ? fitting(name, width) : '';
  return (
    <g>
      <title>{name}</title>
      <rect
        x={x + 0.5}
        y={y + 0.5}
        width={Math.max(2, width - 1)}
        height={height - 1}
        rx={3}
        fill={lookGround(look)}
        stroke={lookColour(look)}
        strokeDasharray={isGap ? '4 3' : undefined}
      />
      {text !== '' && (
        <text x={x + 6} y={y + height / 2 + 4} fontSize={11} fill={lookColour(look)}>
          {text}
        </text>
      )}
    </g>
  );
}

function lookOf({ kind, end, to }: Span): StatusLook {
  if (kind === 'wait') return 'waiting';
  if (kind === 'pause') return 'paused';
  return to === undefined ? 'running' : (end ?? 'running');
}
