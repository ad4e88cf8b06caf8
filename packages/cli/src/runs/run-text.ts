import type { RunSnapshot } from '@baton/protocol';
import { durationText } from '../live/amounts.ts';
import type { Paint } from '../output/output.ts';
import { printable, printableLine } from '../output/printable.ts';

/** Runs in words. */

export function statusText(status: string, paint: Paint): string {
  switch (status) {
    case 'completed':
      return paint.green(status);
    case 'failed':
      return paint.red(status);
    case 'waiting-approval':
    case 'waiting-input':
      return paint.yellow(status);
    case 'cancelled':
      return paint.dim(status);
    default:
      return paint.cyan(status);
  }
}

/** The result of a run: its status, how long it took, and its variables. */
export function resultText(run: RunSnapshot, paint: Paint): string {
  const { startedAt, completedAt, error } = run;
  const took =
    completedAt === undefined ? '' : `  ${durationText(Date.parse(completedAt) - Date.parse(startedAt))}`;
  const failure = error as { readonly code?: string; readonly message?: string } | undefined;
  return [
    `${paint.bold(printableLine(run.workflowId))}  ${run.runId}  ${statusText(run.status, paint)}${paint.dim(took)}`,
    ...(failure === undefined
      ? []
      : [paint.red(`  ${printableLine(`${failure.code}: ${failure.message}`)}`)]),
    ...variableLines(run.variables, paint),
  ].join('\n');
}

export function variableLines(variables: Readonly<Record<string, unknown>>, paint: Paint): string[] {
  return Object.entries(variables).map(
    ([name, value]) => `  ${paint.dim(`${printableLine(name)}:`)} ${printable(valueText(value))}`,
  );
}

/** Texts as they are, other values as JSON. Further lines are indented like the first one. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.replaceAll('\n', '\n    ');
}

/** `2026-11-17 17:13:43` in UTC. */
export function timeText(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}
