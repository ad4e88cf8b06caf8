import { Command } from 'commander';
import { addAgents, addMemory } from './commands/agent-commands.ts';
import { addCluster } from './commands/cluster-command.ts';
import { addHost, addHosts, addUsage } from './commands/host-commands.ts';
import { addKeys } from './commands/keys-commands.ts';
import { addPeers } from './commands/peers-commands.ts';
import { addProject } from './commands/project-commands.ts';
import { addHistory, addQuestions, addRuns } from './commands/run-commands.ts';
import type { ServeDefaults } from './commands/serve-command.ts';
import { addAncestry, addBundles } from './commands/transfer-commands.ts';
import { addCopies, addHeld, addSecrets } from './commands/upkeep-commands.ts';
import { addVerify } from './commands/verify-command.ts';
import { addWorkflows } from './commands/workflow-commands.ts';
import { wrongUsage } from './output/command-failure.ts';
import { EXIT, exitCodesText } from './output/exit-codes.ts';
import { withExamples } from './settings/example-settings.ts';
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
  if (argv.includes('--json')) {
    // The parser would write its text first, so its message is written as an object by `fail`.
    baton.configureOutput({ writeErr: () => undefined }).exitOverride((error) => {
      if (error.exitCode === 0) process.exit(EXIT.done);
      throw wrongCommandLine(error.message);
    });
  }
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
  addUsage(baton);
  addHost(baton);
  addHosts(baton);
  addHeld(baton);
  addSecrets(baton);
  addCopies(baton);
  addCluster(baton, clusterOptions(defaults));
  return baton;
}

/** Hosts of a cluster are processes of the same program. */
function clusterOptions(defaults: ServeDefaults) {
  const { program = process.argv[1] ?? '', postgresFrom, restateFrom, examplesFolder } = defaults;
  return {
    command: [process.execPath, program] as const,
    installedBy: postgresFrom,
    restateInstalledBy: restateFrom,
    env: examplesFolder === undefined ? {} : withExamples(environment(), {}, examplesFolder),
  };
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

/** The message of the parser of the command line, such as "error: unknown option '--jsn'\n(Did you mean --json?)". */
function wrongCommandLine(message: string): Error {
  const [, text = '', hint] = /^(?:error: )?(.*?)(?:\n\((.*)\))?$/s.exec(message) ?? [];
  return wrongUsage(
    text.startsWith('(') ? 'The name of a command is missing.' : text,
    hint ?? '--help lists the commands and options.',
  );
}

async function end(error: unknown, asJson: boolean): Promise<void> {
  const [{ reportOf }, { printable }] = await Promise.all([
    import('./output/report-failure.ts'),
    import('./output/printable.ts'),
  ]);
  const { exit, ...report } = reportOf(error);
  const stack = wantsStacks(environment()) && error instanceof Error ? error.stack : undefined;
  if (asJson) {
    const { code, ...rest } = report;
    terminal.print(printable(JSON.stringify({ error: code, ...rest })));
  } else {
    terminal.note(printable(stack ?? `Error: ${report.message}`));
    if (report.hint !== undefined) terminal.note(printable(report.hint));
  }
  process.exit(exit);
}
