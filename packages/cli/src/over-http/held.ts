import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { runNamed } from '../runs/run-prefix.ts';
import { isUnknown } from '../runs/unknown.ts';
import { ask, type RunningHost } from './running-host.ts';

/** Lists and releases the held trees of a running host. */

interface HeldRuns {
  readonly total: number;
  readonly runs: readonly {
    readonly runId: string;
    readonly tenant: string;
    readonly workflowId: string;
    readonly workflowVersion: number;
    readonly reason: keyof typeof REASONS;
    readonly heldAt: string;
  }[];
}

const REASONS = {
  lost: 'the host died three times while it computed the run',
  stalled: 'the run blocked the engine',
  kin: 'other runs of the same workflow stopped the engine',
};

export async function listHeld(host: RunningHost, out: Output): Promise<ExitCode> {
  const { total, runs } = await heldBy(host);
  if (out.form === 'json') for (const run of runs) out.give(run, '');
  else if (total === 0) out.note('No run is held.');
  else {
    out.give(undefined, table(runs));
    if (runs.length < total) out.note(`These are the newest ${runs.length} of ${total}.`);
  }
  return EXIT.done;
}

async function heldBy(host: RunningHost): Promise<HeldRuns> {
  return JSON.parse(await ask(host, '/v1/host/held-runs')) as HeldRuns;
}

function table(runs: HeldRuns['runs']): string {
  return columns([
    ['RUN', 'TENANT', 'WORKFLOW', 'HELD SINCE (UTC)', 'WHY'],
    ...runs.map((run) => [
      run.runId,
      run.tenant,
      `${run.workflowId} (version ${run.workflowVersion})`,
      run.heldAt.slice(0, 19).replace('T', ' '),
      REASONS[run.reason],
    ]),
  ]);
}

export async function releaseHeld(host: RunningHost, runId: string, out: Output): Promise<ExitCode> {
  const moved = await release(host, runId).catch(async (error: unknown) => {
    if (!isUnknown(error)) throw error;
    const held = (await heldBy(host)).runs.map((run) => run.runId);
    const named = runNamed(runId, held);
    if (named === undefined) throw error;
    return release(host, named);
  });
  out.give(moved, '');
  out.note(`Run ${moved.runId} goes on. If it stops the engine again, it is held again.`);
  return EXIT.done;
}

async function release(host: RunningHost, runId: string): Promise<{ readonly runId: string }> {
  const path = `/v1/host/held-runs/${encodeURIComponent(runId)}:release`;
  return JSON.parse(await ask(host, path, '{}')) as { readonly runId: string };
}
