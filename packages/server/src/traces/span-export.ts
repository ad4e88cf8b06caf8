import type { EndedSpan, OpenVault } from '@baton/engine';
import type { Json } from '@baton/protocol';
import type { HrTime, SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { Metrics } from '../operations/metrics.ts';
import { VERSION } from '../version.ts';
import type { TraceSettings } from './trace-settings.ts';

/** Sends ended spans to a collector. A collector that is slow or away costs spans, and nothing else. */
export interface SpanExport {
  /** Spans as JSON. */
  add(spans: string): void;
  /** Sends the spans that wait, but does not wait for a collector that does not answer. */
  stop(): Promise<void>;
}

export interface SpanExportParts {
  readonly vault: Pick<OpenVault, 'everyRedactor'>;
  readonly metrics: Pick<Metrics, 'spans'>;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

/** Spans that wait to be sent. Further ones are dropped and counted. */
export const MAX_WAITING_SPANS = 16_384;
const BATCH = 512;
const DELAY_MS = 1000;
const TIMEOUT_MS = 10_000;
const STOP_MS = 2000;

/** The libraries of OpenTelemetry are loaded by this function only, so a host without a collector loads none. */
export async function openSpanExport(settings: TraceSettings, parts: SpanExportParts): Promise<SpanExport> {
  const [{ BatchSpanProcessor }, { resourceFromAttributes }, otlp] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
    otlpExporter(settings, TIMEOUT_MS),
  ]);
  const { vault, metrics } = parts;
  let waiting = 0;
  const exporter = counted(otlp, {
    ...parts,
    taken(count) {
      waiting -= count;
    },
  });
  const processor = new BatchSpanProcessor(exporter, {
    maxQueueSize: MAX_WAITING_SPANS,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: DELAY_MS,
    exportTimeoutMillis: TIMEOUT_MS,
  });
  const resource = resourceFromAttributes({ 'service.version': VERSION, ...settings.resource });

  return {
    add(text) {
      for (const span of withoutSecrets(vault, text)) {
        // The processor drops spans in silence, so it never gets too many.
        if (waiting >= MAX_WAITING_SPANS) metrics.spans.inc({ result: 'dropped' });
        else {
          waiting += 1;
          processor.onEnd(readableSpan(span, resource));
        }
      }
    },
    async stop() {
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((done) => {
        timer = setTimeout(done, STOP_MS);
      });
      await Promise.race([processor.shutdown().catch(() => undefined), patience]);
      clearTimeout(timer);
    },
  };
}

interface Counting extends SpanExportParts {
  taken(count: number): void;
}

/** Counts the spans that were sent or lost. Only the first failure in a row is written to the log. */
function counted(exporter: SpanExporter, { taken, metrics, log }: Counting): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      taken(spans.length);
      exporter.export(spans, (result) => {
        const isFailure = result.code !== 0;
        metrics.spans.inc({ result: isFailure ? 'failed' : 'exported' }, spans.length);
        if (isFailure && !isFailing) log.warn({ problem: result.error?.message }, 'spans cannot be exported');
        if (!isFailure && isFailing) log.info('spans are exported again');
        isFailing = isFailure;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** Names and codes of a span may hold a value that became a secret after it was recorded. */
function withoutSecrets(vault: SpanExportParts['vault'], text: string): readonly EndedSpan[] {
  const redactor = vault.everyRedactor();
  const spans = JSON.parse(text) as readonly EndedSpan[];
  if (redactor === undefined || redactor.redactText(text) === text) return spans;
  return redactor.redactJson(spans as unknown as Json) as unknown as readonly EndedSpan[];
}

type Settings = Pick<TraceSettings, 'url' | 'headers' | 'protocol'>;

/** An exporter over HTTP, with the spans as JSON or as protobuf. */
async function otlpExporter(
  { url, headers, protocol }: Settings,
  timeoutMillis: number,
): Promise<SpanExporter> {
  const config = { url, headers: { ...headers }, timeoutMillis };
  if (protocol === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    return new OTLPTraceExporter(config);
  }
  // The same exporter with another serializer. Its own package would add nothing else.
  const [{ OTLPExporterBase }, { convertLegacyHttpOptions, createOtlpHttpExportDelegate }, transformer] =
    await Promise.all([
      import('@opentelemetry/otlp-exporter-base'),
      import('@opentelemetry/otlp-exporter-base/node-http'),
      import('@opentelemetry/otlp-transformer'),
    ]);
  const { ProtobufTraceSerializer, TraceExporterMetricsHelper } = transformer;
  const options = convertLegacyHttpOptions(config, 'TRACES', 'v1/traces', {
    'Content-Type': 'application/x-protobuf',
  });
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(
      options,
      ProtobufTraceSerializer,
      'otlp_http_span_exporter',
      TraceExporterMetricsHelper,
      undefined,
    ),
  );
}

/** The numbers of OTLP. The enums of the library are not used, because they would load it. */
const INTERNAL: SpanKind.INTERNAL = 0;
const CLIENT: SpanKind.CLIENT = 2;
const UNSET: SpanStatusCode.UNSET = 0;
const ERROR: SpanStatusCode.ERROR = 2;
const SAMPLED = 1;

/** A span as the exporter of OpenTelemetry takes it. */
function readableSpan(span: EndedSpan, resource: Resource): ReadableSpan {
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
