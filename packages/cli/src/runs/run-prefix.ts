import { CommandFailure } from '../output/command-failure.ts';
import { EXIT } from '../output/exit-codes.ts';

/** Runs that are named by the beginning of their id. */

/** A shorter beginning is a typing error more often than a name. */
export const SHORTEST_BEGINNING = 6;
const MOST_SHOWN = 8;

/** The only run whose id begins with the text. Fails if there are several. */
export function runNamed(beginning: string, runIds: readonly string[]): string | undefined {
  if (beginning.length < SHORTEST_BEGINNING) return undefined;
  const [first, ...others] = runIds.filter((runId) => isNamed(beginning, runId));
  if (first === undefined || others.length === 0) return first;
  throw ambiguous(beginning, [first, ...others]);
}

/** A child run is `<root>.<number>`. The beginning of both ids names the root, unless it has a dot itself. */
function isNamed(beginning: string, runId: string): boolean {
  return runId.startsWith(beginning) && (beginning.includes('.') || !runId.includes('.'));
}

function ambiguous(beginning: string, runIds: readonly string[]): CommandFailure {
  const shown = runIds.slice(0, MOST_SHOWN).join(', ');
  const more = runIds.length > MOST_SHOWN ? ` and ${runIds.length - MOST_SHOWN} more` : '';
  return new CommandFailure(`The ids of ${runIds.length} runs begin with ${beginning}.`, {
    exit: EXIT.wrongUsage,
    code: 'ambiguous_run',
    hint: `Write more of the id: ${shown}${more}.`,
  });
}
