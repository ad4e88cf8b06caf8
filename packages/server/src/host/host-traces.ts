import type { HostSettings } from '../settings.ts';
import { openSpanExport, type SpanExport, type SpanExportParts } from '../traces/span-export.ts';

/** Exports spans, if the operator has named a collector. */
export async function hostTraces(
  { traces }: Pick<HostSettings, 'traces'>,
  parts: SpanExportParts,
): Promise<SpanExport | undefined> {
  return traces && openSpanExport(traces, parts);
}
