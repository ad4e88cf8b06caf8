import type { EndedSpan } from '@baton/engine';
import { expect } from 'vitest';

/** Spans as a collector shows them: a tree of names, with the earlier ones first. */

interface Gathered {
  readonly spans: EndedSpan[];
  readonly onSpans: (spans: readonly EndedSpan[]) => void;
}

export function gathering(): Gathered {
  const spans: EndedSpan[] = [];
  return { spans, onSpans: (more) => void spans.push(...more) };
}

/** Checks that the spans are one trace without gaps, and draws it. */
export function drawn(spans: readonly EndedSpan[], caller?: string): readonly string[] {
  const known = new Map(spans.map((span) => [span.spanId, span]));
  expect(known.size).toBe(spans.length);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  for (const { name, parentSpanId, startedAt, endedAt } of spans) {
    expect(startedAt).toBeLessThanOrEqual(endedAt);
    const parent = parentSpanId === undefined ? undefined : known.get(parentSpanId);
    if (parent === undefined) expect([name, parentSpanId]).toEqual([name, caller]);
    else {
      expect(startedAt).toBeGreaterThanOrEqual(parent.startedAt);
      expect(endedAt).toBeLessThanOrEqual(parent.endedAt);
    }
  }
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .flatMap(({ name, spanId }) => [`${'  '.repeat(depth)}${name}`, ...below(spanId, depth + 1)]);
  return below(caller, 0);
}
