import type { RunError } from '@baton/protocol';
import type { Run } from './kernel/run.ts';
import type { ListedState } from './ports/run-row.ts';

/** What the list of runs shows of the state of a run. */

const MOST_CHARACTERS = 300;

/** `undefined` when it is the same as for the state `base`, or when there is nothing to show. */
export function listedChange(base: Run | undefined, run: Run): ListedState | undefined {
  const isSame =
    base !== undefined &&
    base.iteration === run.iteration &&
    base.usage === run.usage &&
    errorOf(base) === errorOf(run);
  return isSame ? undefined : listedState(run);
}

export function listedState(run: Run): ListedState | undefined {
  const error = errorOf(run);
  const { iteration, usage } = run;
  if (iteration === 0 && usage === undefined && error === undefined) return undefined;
  return {
    ...(iteration > 0 && { turn: iteration }),
    ...(usage && { usage }),
    ...(error && { error: listedError(error) }),
  };
}

export function listedError({ code, message }: RunError): NonNullable<ListedState['error']> {
  if (message.length <= MOST_CHARACTERS) return { code, message };
  // The two halves of a character beyond the first 65,536 are not separated.
  return { code, message: `${message.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…` };
}

function errorOf({ phase }: Run): RunError | undefined {
  return phase.kind === 'ended' ? phase.error : undefined;
}
