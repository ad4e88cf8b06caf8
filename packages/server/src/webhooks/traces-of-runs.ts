import type { LogReads, RunReads } from '@baton/engine/ports';
import { type RunEvent, traceparentOfRun } from '@baton/protocol';

export type TraceReads = Pick<LogReads, 'events'> & Pick<RunReads, 'run'>;

/** The runs whose trace context is remembered. The events of a run come in several deliveries. */
const REMEMBERED = 1_000;

/** The `traceparent` of a run. The trace of its caller is in its first event. */
export function tracesOfRuns(reads: TraceReads): (tenant: string, runId: string) => Promise<string> {
  const known = new Map<string, string>();
  return async (tenant, runId) => {
    const remembered = known.get(runId);
    if (remembered !== undefined) return remembered;
    const traceparent = await traceOfMessages(reads, tenant, runId);
    if (known.size >= REMEMBERED) known.clear();
    known.set(runId, traceparent);
    return traceparent;
  };
}

/** The `traceparent` of messages about a run. The caller of the source of a fork did not ask for the fork. */
export async function traceOfMessages(reads: TraceReads, tenant: string, runId: string): Promise<string> {
  const [row, [text]] = await Promise.all([reads.run(tenant, runId), reads.events(tenant, runId, 0, 1)]);
  if (text === undefined || row?.fork !== undefined) return traceparentOfRun(runId);
  const { payload } = JSON.parse(text) as RunEvent;
  return traceparentOfRun(runId, (payload as { readonly traceparent?: string }).traceparent);
}
