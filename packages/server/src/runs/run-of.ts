import type { RunReads, RunRow } from '@baton/engine/ports';
import { BatonError } from '@baton/protocol';

/** A run is always looked up together with the tenant of the caller. */
export interface RunOfTenant {
  readonly tenant: string;
  readonly runId: string;
}

export interface RunSource {
  readonly reads: Pick<RunReads, 'run'>;
}

/** The row of a run. A run of another tenant is treated like a run that does not exist. */
export async function runOf(host: RunSource, { tenant, runId }: RunOfTenant): Promise<RunRow> {
  const row = await host.reads.run(tenant, runId);
  if (row === undefined) throw noSuchRun(runId);
  return row;
}

/** A run whose log can be read. An erased or purged run is refused. */
export async function keptRunOf(host: RunSource, run: RunOfTenant): Promise<RunRow> {
  return kept(await runOf(host, run));
}

export function kept(row: RunRow): RunRow {
  const { runId } = row;
  if (row.erasedAt !== undefined) throw new BatonError('run_erased', undefined, { runId });
  if (row.purgedAt !== undefined) throw new BatonError('run_purged', undefined, { runId });
  return row;
}

export function noSuchRun(runId: string): BatonError {
  return new BatonError('not_found', 'There is no run with this id.', { runId });
}
