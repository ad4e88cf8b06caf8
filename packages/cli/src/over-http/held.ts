import { columns } from '../columns.ts';
import type { Terminal } from '../terminal.ts';
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

export async function listHeld(host: RunningHost, terminal: Terminal, asJson = false): Promise<void> {
  const { total, runs } = JSON.parse(await ask(host, '/v1/host/held-runs')) as HeldRuns;
  if (asJson) {
    for (const run of runs) terminal.print(JSON.stringify(run));
    return;
  }
  if (total === 0) {
    terminal.note('No run is held.');
    return;
  }
  terminal.print(
    columns([
      ['RUN', 'TENANT', 'WORKFLOW', 'HELD SINCE (UTC)', 'WHY'],
      ...runs.map((run) => [
        run.runId,
        run.tenant,
        `${run.workflowId} (version ${run.workflowVersion})`,
        run.heldAt.slice(0, 19).replace('T', ' '),
        REASONS[run.reason],
      ]),
    ]),
  );
  if (runs.length < total) terminal.note(`These are the newest ${runs.length} of ${total}.`);
}

export async function releaseHeld(host: RunningHost, runId: string, terminal: Terminal): Promise<void> {
  await ask(host, `/v1/host/held-runs/${encodeURIComponent(runId)}:release`, '{}');
  terminal.note(`Run ${runId} goes on. If it stops the engine again, it is held again.`);
}
