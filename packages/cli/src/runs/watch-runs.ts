import type { RunFilters } from '@baton/client';
import type { RunSummary } from '@baton/protocol';
import { usageText } from '../live/amounts.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../session.ts';
import { statusText, timeText } from './run-text.ts';

/** How many runs are remembered, so that a list that is read again prints only what has changed. */
const MOST_REMEMBERED = 1000;

interface WatchedRuns {
  readonly filters: RunFilters;
  /** How many of the newest runs are printed first. */
  readonly newest: number;
}

/** `baton runs --watch`: the newest runs, then a line for each run that is created or changes, until Ctrl-C. */
export async function watchRuns({ baton, out }: Session, { filters, newest }: WatchedRuns): Promise<never> {
  const printed = new Map<string, string>();

  function print(run: RunSummary): void {
    const line = lineOf(run, out.paint);
    if (printed.get(run.runId) === line) return;
    printed.delete(run.runId);
    printed.set(run.runId, line);
    for (const [oldest] of printed) if (printed.size > MOST_REMEMBERED) printed.delete(oldest);
    out.give(run, line);
  }

  for await (const change of baton.runs.watch()) {
    if (change.kind === 'reset') {
      const { runs } = await baton.runs.page({ ...filters, limit: Math.min(newest, 200) });
      for (const run of runs.toReversed()) print(run);
    } else if (isWanted(change.run, filters)) print(change.run);
  }
  throw new Error('the feed of runs ended without a failure');
}

function isWanted(run: RunSummary, { status, workflowId, roots, q }: RunFilters): boolean {
  if (roots === true && run.parentRunId !== undefined) return false;
  if (workflowId !== undefined && run.workflowId !== workflowId) return false;
  if (status !== undefined && ![status].flat().includes(run.status)) return false;
  if (q === undefined) return true;
  const text = q.toLowerCase();
  const parts = [run.workflowId, ...(run.tags ?? [])];
  return run.runId.startsWith(text) || parts.some((part) => part.toLowerCase().includes(text));
}

function lineOf(run: RunSummary, paint: Session['out']['paint']): string {
  const facts = [
    run.turn === undefined ? '' : `turn ${run.turn}`,
    run.waitingFor?.map(({ kind, nodeId }) => `${kind} at ${nodeId}`).join(', ') ?? '',
    run.usage === undefined
      ? ''
      : usageText({ ...run.usage, tokens: run.usage.inputTokens + run.usage.outputTokens }),
    run.error?.message ?? '',
  ].filter((fact) => fact !== '');
  return [
    paint.dim(timeText(run.updatedAt)),
    run.runId,
    printable(run.workflowId),
    statusText(run.status, paint),
    ...(facts.length === 0 ? [] : [paint.dim(printable(facts.join(' · ')))]),
  ].join('  ');
}
