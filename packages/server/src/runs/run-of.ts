import type { RunRow } from '@baton/engine/ports';
import { BatonError } from '@baton/protocol';
import type { HostContext } from '../http/context.ts';

/** A run is only ever looked up together with the tenant who asks. */
export interface RunOfTenant {
  readonly tenant: string;
  readonly runId: string;
}

/** The run as the index knows it. Another tenant's run is as absent as one that never was. */
export function runOf(host: Pick<HostContext, 'reads'>, { tenant, runId }: RunOfTenant): RunRow {
  const row = host.reads.run(tenant, runId);
  if (row === undefined) throw noSuchRun(runId);
  return row;
}

/** A run whose log is there to be read. What was erased or is no longer kept cannot be built on. */
export function keptRunOf(host: Pick<HostContext, 'reads'>, run: RunOfTenant): RunRow {
  const row = runOf(host, run);
  const { runId } = row;
  if (row.erasedAt !== undefined) throw new BatonError('run_erased', undefined, { runId });
  if (row.purgedAt !== undefined) throw new BatonError('run_purged', undefined, { runId });
  return row;
}

export function noSuchRun(runId: string): BatonError {
  return new BatonError('not_found', 'There is no run with this id.', { runId });
}
