import type { RunRow } from '@baton/engine/ports';
import { BatonError } from '@baton/protocol';
import type { HostContext } from '../http/context.ts';

/** A run is always looked up together with the tenant of the caller. */
export interface RunOfTenant {
  readonly tenant: string;
  readonly runId: string;
}

/** The row of a run. A run of another tenant is treated like a run that does not exist. */
export function runOf(host: Pick<HostContext, 'reads'>, { tenant, runId }: RunOfTenant): RunRow {
  const row = host.reads.run(tenant, runId);
  if (row === undefined) throw noSuchRun(runId);
  return row;
}

/** A run whose log can be read. An erased or purged run is refused. */
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
