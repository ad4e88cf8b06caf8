import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { TraceSettings } from './trace-settings.ts';

type Settings = Pick<TraceSettings, 'url' | 'headers' | 'protocol'>;

/** An exporter over HTTP, with the spans as JSON or as protobuf. */
export async function otlpExporter(
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
