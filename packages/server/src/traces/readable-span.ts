import type { EndedSpan } from '@baton/engine';
import type { HrTime, SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { VERSION } from '../version.ts';

/** The numbers of OTLP. The enums of the library are not used, because they would load it. */
const INTERNAL: SpanKind.INTERNAL = 0;
const CLIENT: SpanKind.CLIENT = 2;
const UNSET: SpanStatusCode.UNSET = 0;
const ERROR: SpanStatusCode.ERROR = 2;
const SAMPLED = 1;

/** A span as the exporter of OpenTelemetry takes it. */
export function readableSpan(span: EndedSpan, resource: Resource): ReadableSpan {
  const { traceId, spanId, parentSpanId, startedAt, endedAt, error, name, kind, attributes } = span;
  const contextOf = (id: string): SpanContext => ({ traceId, spanId: id, traceFlags: SAMPLED });
  return {
    name,
    kind: kind === 'client' ? CLIENT : INTERNAL,
    spanContext: () => contextOf(spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: contextOf(parentSpanId) }),
    startTime: timeOf(startedAt),
    endTime: timeOf(endedAt),
    duration: timeOf(endedAt - startedAt),
    status: { code: error === undefined ? UNSET : ERROR },
    attributes: {
      ...(attributes as Record<string, string | number | boolean | string[]>),
      ...(error !== undefined && { 'error.type': error }),
    },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'baton', version: VERSION },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Whole seconds and nanoseconds. */
function timeOf(ms: number): HrTime {
  return [Math.trunc(ms / 1000), (ms % 1000) * 1_000_000];
}
