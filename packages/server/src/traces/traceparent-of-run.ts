import type { LogReads, RunReads } from '@baton/engine/ports';
import { formatTraceparent, type RunEvent, spanIdOf, traceOfRun } from '@baton/protocol';

/** The `traceparent` of a message that tells of a run: the trace and the span of the run. */
export async function traceparentOfRun(
  reads: Pick<RunReads, 'run'> & Pick<LogReads, 'events'>,
  tenant: string,
  runId: string,
): Promise<string> {
  return formatTraceparent({
    ...traceOfRun(runId, await callersTrace(reads, tenant, runId)),
    spanId: spanIdOf('run', runId),
  });
}

/** The first event of a fork is that of its source, whose caller did not ask for the fork. */
async function callersTrace(
  reads: Pick<RunReads, 'run'> & Pick<LogReads, 'events'>,
  tenant: string,
  runId: string,
): Promise<string | undefined> {
  const row = await reads.run(tenant, runId);
  if (row === undefined || row.fork !== undefined) return undefined;
  const [text = '{}'] = await reads.events(tenant, runId, 0, 1);
  const event = JSON.parse(text) as Partial<RunEvent>;
  return event.type === 'run.started' ? event.payload?.traceparent : undefined;
}
