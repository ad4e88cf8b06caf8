import type { Scale } from './time-scale.ts';
import type { Entry, Span } from './tree.ts';

/** The part of the axis that is seen, and how many pixels it has. */
export interface View {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

export interface DrawnSpan {
  readonly span: Span;
  readonly x: number;
  readonly width: number;
  /** How many spans are drawn as this one, because they are too narrow to be seen apart. */
  readonly count: number;
}

/** A span is at least as wide as this, so that work that took no time is seen. */
const LEAST_WIDTH = 3;

export function pixelOf(view: View, unit: number): number {
  return ((unit - view.from) / (view.to - view.from)) * view.width;
}

export function unitAtPixel(view: View, pixel: number): number {
  return view.from + (pixel / view.width) * (view.to - view.from);
}

/**
 * The spans of a lane that are seen. Neighbours in the same pixels become one, so a lane of 20,000 spans has no more
 * parts than it has pixels.
 */
export function drawnSpans(
  spans: readonly Span[],
  entries: readonly Entry[],
  scale: Scale,
  view: View,
): readonly DrawnSpan[] {
  const drawn: DrawnSpan[] = [];
  const newest = new Map<string, number>();
  for (const span of spans) {
    const first = entries[span.from];
    const last = entries[span.to ?? -1];
    if (first === undefined) continue;
    const from = scale.unitOf(first);
    if (from > view.to) break;
    const to = last === undefined ? scale.length : scale.unitOf(last);
    if (to < view.from) continue;
    const x = Math.max(-LEAST_WIDTH, pixelOf(view, from));
    const width = Math.max(LEAST_WIDTH, Math.min(view.width + LEAST_WIDTH, pixelOf(view, to)) - x);
    const group = `${span.kind}:${span.row}`;
    const index = newest.get(group);
    const before = index === undefined ? undefined : drawn[index];
    const isNear = before !== undefined && x < before.x + before.width + 1;
    const areNarrow = width <= LEAST_WIDTH && (before?.width === LEAST_WIDTH || (before?.count ?? 1) > 1);
    if (index !== undefined && isNear && areNarrow) {
      const right = Math.max(before.x + before.width, x + width);
      const shown = span.end === 'failed' ? span : before.span;
      drawn[index] = { span: shown, x: before.x, width: right - before.x, count: before.count + 1 };
    } else {
      newest.set(group, drawn.length);
      drawn.push({ span, x, width, count: 1 });
    }
  }
  return drawn;
}
