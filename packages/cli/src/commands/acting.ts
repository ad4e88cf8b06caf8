import type { Command } from 'commander';
import type { ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import type { Flags } from '../settings/given.ts';
import { withJson } from './options.ts';

/** The work of a command that writes a result. `A` are the types of its arguments, `F` those of its flags. */
type Act<A extends readonly unknown[], F> = (
  out: Output,
  flags: F,
  ...args: A
) => ExitCode | Promise<ExitCode>;

/**
 * Adds `--json` and the action. `load` imports the code of the action, so that the start of the other commands does not
 * take longer.
 */
export function acting<A extends readonly unknown[] = [], F extends Flags = Flags>(
  command: Command,
  load: () => Promise<Act<A, F>>,
): Command {
  return withJson(command).action(async (...given: unknown[]) => {
    // Commander calls an action with the arguments, then the flags, then the command.
    const args = given.slice(0, -2) as unknown as A;
    const flags = given.at(-2) as F;
    const [act, { outputFor }] = await Promise.all([load(), import('../output/output.ts')]);
    process.exitCode = await act(outputFor(flags), flags, ...args);
  });
}
