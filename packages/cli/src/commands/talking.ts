import type { Command } from 'commander';
import type { ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import type { Flags } from '../settings/given.ts';
import { withHost, withJson } from './options.ts';

/** The work of a command that talks to a host. */
type Talk<A extends readonly unknown[]> = (session: Session, ...args: A) => Promise<ExitCode>;

/**
 * Adds the options of commands that talk to a running host, and the action. `load` imports the code of the action, so
 * that the start of the other commands does not take longer. `A` are the types of the arguments of the command.
 */
export function talking<A extends readonly unknown[]>(
  command: Command,
  load: () => Promise<Talk<A>>,
): Command {
  return withJson(withHost(command)).action(async (...given: unknown[]) => {
    // Commander calls an action with the arguments, then the flags, then the command.
    const args = given.slice(0, -2) as unknown as A;
    const flags = given.at(-2) as Flags;
    const [work, { openSession }] = await Promise.all([load(), import('../session.ts')]);
    process.exitCode = await work(openSession(flags), ...args);
  });
}
