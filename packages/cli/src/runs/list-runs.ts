import type { RunStatus, RunSummary } from '@baton/protocol';
import { RUN_STATUSES } from '@baton/protocol/status';
import { columns } from '../columns.ts';
import { wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { timeText } from './run-text.ts';

interface ListFlags {
  readonly limit?: string;
  readonly status?: string;
  readonly workflow?: string;
  readonly search?: string;
  readonly all?: boolean;
  readonly watch?: boolean;
}

/** `baton runs`: the newest runs. Child runs are left out unless they are asked for. */
export async function listRuns(session: Session): Promise<ExitCode> {
  const { baton, out, flags } = session;
  const { limit = '20', status, workflow, search, all, watch }: ListFlags = flags;
  const most = Number(limit);
  if (!Number.isInteger(most) || most < 1) throw wrongUsage(`--limit ${limit} is not a number of runs.`);
  const statuses = status?.split(',');
  const unknown = statuses?.find((name) => !RUN_STATUSES.some((known) => known === name));
  if (unknown !== undefined) {
    throw wrongUsage(`--status ${unknown} is not the status of a run.`, `Write ${RUN_STATUSES.join(', ')}.`);
  }
  const query = {
    ...(statuses !== undefined && { status: statuses as RunStatus[] }),
    ...(workflow !== undefined && { workflowId: workflow }),
    ...(search !== undefined && { q: search }),
    ...(all !== true && { roots: true }),
  };
  if (watch === true)
    return (await import('./watch-runs.ts')).watchRuns(session, { filters: query, newest: most });
  const found: RunSummary[] = [];
  for await (const run of baton.runs.list(query)) {
    if (all !== true && run.parentRunId !== undefined) continue;
    found.push(run);
    if (found.length === most) break;
  }
  if (out.form === 'json') for (const run of found) out.give(run, '');
  else if (found.length === 0) out.note('There are no runs. "baton run <workflow>" starts one.');
  else out.give(undefined, table(found));
  return EXIT.done;
}

function table(runs: readonly RunSummary[]): string {
  return columns([
    ['RUN', 'WORKFLOW', 'STATUS', 'STARTED (UTC)'],
    ...runs.map((run) => [run.runId, run.workflowId, statusOf(run), timeText(run.createdAt)]),
  ]);
}

function statusOf({ status, goalMet }: RunSummary): string {
  return goalMet === false ? `${status}, gave up` : status;
}
