import { Command } from 'commander';
import { addAgents, addMemory } from './commands/agent-commands.ts';
import { addKeys } from './commands/keys-commands.ts';
import { addPeers } from './commands/peers-commands.ts';
import { addProject } from './commands/project-commands.ts';
import { addHistory, addQuestions, addRuns } from './commands/run-commands.ts';
import type { ServeDefaults } from './commands/serve-command.ts';
import { addAncestry, addBundles } from './commands/transfer-commands.ts';
import { addCopies, addHeld, addSecrets } from './commands/upkeep-commands.ts';
import { addVerify } from './commands/verify-command.ts';
import { addWorkflows } from './commands/workflow-commands.ts';
import { EXIT, exitCodesText } from './output/exit-codes.ts';
import { environment } from './settings/given.ts';
import { wantsStacks } from './settings/output-wishes.ts';
import { terminal } from './terminal.ts';
import { version } from './version.ts';

/** The `baton` command. Each action imports its code when it runs, so that small commands start quickly. */

export async function main(argv: readonly string[], defaults: ServeDefaults = {}): Promise<void> {
  const fail = (error: unknown): Promise<void> => end(error, argv.includes('--json'));
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  // The reader of a pipe, such as `head`, has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EPIPE' ? process.exit(EXIT.done) : fail(error),
  );
  try {
    await (await program(argv, defaults)).parseAsync(argv, { from: 'user' });
  } catch (error) {
    await fail(error);
  }
}

/** All commands, as `argv` needs them. The reference of commands is written from them. */
export async function program(argv: readonly string[], defaults: ServeDefaults): Promise<Command> {
  const baton = new Command('baton')
    .description('A durable host for multi-agent workflows.')
    .version(version())
    .showHelpAfterError('(--help lists the commands and options)')
    .addHelpText('after', `\n${exitCodesText()}`)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.wrongUsage));
  await addServe(baton, argv, defaults);
  addRuns(baton);
  addQuestions(baton);
  addHistory(baton);
  addWorkflows(baton);
  addAgents(baton);
  addMemory(baton);
  addProject(baton);
  addKeys(baton);
  addPeers(baton);
  addVerify(baton);
  addAncestry(baton);
  addBundles(baton);
  addHeld(baton);
  addSecrets(baton);
  addCopies(baton);
  return baton;
}

/** The table of settings takes longer to load than a small command may take, so only `serve` loads it. */
async function addServe(baton: Command, argv: readonly string[], defaults: ServeDefaults): Promise<void> {
  const command = baton
    .command('serve')
    .description('Run a host until it is stopped. Every flag can be set in the environment instead.');
  if (!argv.includes('serve')) return;
  const { completeServe } = await import('./commands/serve-command.ts');
  completeServe(command, defaults);
}

async function end(error: unknown, asJson: boolean): Promise<void> {
  const { reportOf } = await import('./output/report-failure.ts');
  const { exit, ...report } = reportOf(error);
  const stack = wantsStacks(environment()) && error instanceof Error ? error.stack : undefined;
  if (asJson) {
    const { code, ...rest } = report;
    terminal.print(JSON.stringify({ error: code, ...rest }));
  } else {
    terminal.note(stack ?? `Error: ${report.message}`);
    if (report.hint !== undefined) terminal.note(report.hint);
  }
  process.exit(exit);
}
