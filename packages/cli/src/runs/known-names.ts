import { editDistance, nearest } from '@baton/protocol/nearest';
import { notFound } from '../output/command-failure.ts';
import type { Session } from '../session.ts';
import { runNamed, SHORTEST_BEGINNING } from './run-prefix.ts';
import { isUnknown } from './unknown.ts';

/** Names that the host does not know: the beginning of the id of a run, and suggestions for the others. */

/** An older run has to be named by its whole id, so that a wrong name is not searched for in a long history. */
const MOST_SEARCHED = 5000;
const IN_A_PAGE = 200;

/**
 * Does the work with the run of this id. If the host knows no such run, the work is done with the run whose id begins
 * with the text; if there is none either, the failure names the run with the nearest id. So a whole id needs no request
 * besides those of the work.
 */
export async function withKnownRun<T>(
  session: Session,
  runId: string,
  work: (runId: string) => Promise<T>,
): Promise<T> {
  try {
    return await work(runId);
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const known = await newestRuns(session, runId.length < SHORTEST_BEGINNING ? IN_A_PAGE : MOST_SEARCHED);
    const named = runNamed(runId, known);
    if (named !== undefined) return work(named);
    const like = suggestion(runId, known.slice(0, IN_A_PAGE));
    const hint = like === undefined ? '"baton runs" lists the runs.' : `Did you mean ${like}?`;
    throw notFound(`There is no run ${runId}.`, hint, error);
  }
}

async function newestRuns({ baton }: Session, most: number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { runId } of baton.runs.list()) {
    if (found.push(runId) === most) break;
  }
  return found;
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

/** A known name that begins with the typed one, or the nearest one if it is near. */
export function suggestion(typed: string, known: readonly string[]): string | undefined {
  const longer = known.find((name) => typed !== '' && name.startsWith(typed));
  if (longer !== undefined) return longer;
  const near = nearest(typed, known);
  if (near === undefined) return undefined;
  return editDistance(typed, near) <= Math.max(2, Math.floor(near.length / 3)) ? near : undefined;
}
