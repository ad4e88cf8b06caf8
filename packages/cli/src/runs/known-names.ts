import { BatonError } from '@baton/client';
import { editDistance, nearest } from '@baton/protocol/nearest';
import { CommandFailure } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';

/** Suggestions for names that the host does not know. */

/** Does the work. If the host knows no such run, the failure names the run with the nearest id. */
export async function withKnownRun<T>(session: Session, runId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const { runs } = await session.baton.runs.page({ limit: 200 });
    const like = suggestion(
      runId,
      runs.map((run) => run.runId),
    );
    const hint = like === undefined ? '"baton runs" lists the runs.' : `Did you mean ${like}?`;
    throw notFound(`There is no run ${runId}.`, hint, error);
  }
}

/** Does the work. If the host knows no such workflow, the failure names the one with the nearest id. */
export async function withKnownWorkflow<T>(session: Session, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const known = (await session.baton.workflows.list()).map((workflow) => workflow.workflowId);
    const like = suggestion(id, known);
    const hint =
      like === undefined
        ? known.length === 0
          ? 'The host has no workflows; "baton serve --workflows <folder>" registers some.'
          : `The host has ${known.slice(0, 8).join(', ')}${known.length > 8 ? ' …' : ''}.`
        : `Did you mean ${like}?`;
    throw notFound(`There is no workflow ${id}.`, hint, error);
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof BatonError && error.code === 'not_found';
}

function notFound(message: string, hint: string, cause: unknown): CommandFailure {
  return new CommandFailure(message, { exit: EXIT.notFound, code: 'not_found', hint, cause });
}

/** A known name that begins with the typed one, or the nearest one if it is near. */
export function suggestion(typed: string, known: readonly string[]): string | undefined {
  const longer = known.find((name) => typed !== '' && name.startsWith(typed));
  if (longer !== undefined) return longer;
  const near = nearest(typed, known);
  if (near === undefined) return undefined;
  return editDistance(typed, near) <= Math.max(2, Math.floor(near.length / 3)) ? near : undefined;
}
