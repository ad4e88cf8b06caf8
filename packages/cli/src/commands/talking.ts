import type { Command } from 'commander';
import type { ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { acting } from './acting.ts';
import { withHost } from './options.ts';

/** The work of a command that talks to a host. */
type Talk<A extends readonly unknown[]> = (session: Session, ...args: A) => Promise<ExitCode>;

/**
 * Adds the options of commands that talk to a running host, and the action. `load` imports the code of the action.
 * `A` are the types of the arguments of the command.
 */
export function talking<A extends readonly unknown[]>(
  command: Command,
  load: () => Promise<Talk<A>>,
): Command {
  return acting<A>(withHost(command), async () => {
    const [work, { openSession }] = await Promise.all([load(), import('../session.ts')]);
    return (out, flags, ...args) => work(openSession(flags, out), ...args);
  });
}
