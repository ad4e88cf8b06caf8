import { Command, Option } from 'commander';
import { explain } from './explain.ts';
import {
  auditKeyFile,
  dataFolder,
  environment,
  type Flags,
  flagOf,
  hostAddress,
  readSettings,
  SETTINGS,
  type Settings,
  wantsColour,
  wantsStacks,
} from './settings.ts';
import { terminal } from './terminal.ts';
import { version } from './version.ts';

/** The `baton` command. Each action loads its own code, so that small commands start at once. */

const FAILED = 1;
const WRONGLY_SET = 2;

/** Where to take workflows from when nobody says. */
export interface Defaults {
  readonly workflowsFolder?: string;
}

export async function main(argv: readonly string[], defaults: Defaults = {}): Promise<void> {
  const fail = (error: unknown): void => {
    const stack = wantsStacks(environment()) && error instanceof Error ? error.stack : undefined;
    terminal.note(stack ?? `Error: ${explain(error)}`);
    process.exit(FAILED);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  try {
    await program(defaults).parseAsync(argv, { from: 'user' });
  } catch (error) {
    fail(error);
  }
}

function program(defaults: Defaults): Command {
  const baton = new Command('baton')
    .description('A durable host for multi-agent workflows.')
    .version(version())
    .showHelpAfterError('(--help shows what can be written here)');
  addServe(baton, defaults);
  addKeys(baton);
  addVerify(baton);
  addBundles(baton);
  addHeld(baton);
  addCopies(baton);
  return baton;
}

function addServe(baton: Command, defaults: Defaults): void {
  const command = baton
    .command('serve')
    .description('Run a host until it is stopped. Every flag can be set in the environment instead.');
  for (const setting of SETTINGS) {
    const value = setting.value === '' ? '' : ` <${setting.value}>`;
    const option = new Option(
      `${flagOf(setting.name)}${value}`,
      `${setting.meaning} (${setting.name}; ${setting.unset})`,
    );
    command.addOption(option);
  }
  command.action(async (flags: Flags) => {
    const settings = settingsOrExit(flags);
    const { serve } = await import('./serve.ts');
    const colour = wantsColour(environment(), process.stdout.isTTY === true);
    await serve(
      { ...settings, workflowsFolder: settings.workflowsFolder ?? defaults.workflowsFolder },
      colour,
      terminal,
    );
    process.exit();
  });
}

function settingsOrExit(flags: Flags): Settings {
  const reading = readSettings(environment(), flags);
  for (const warning of reading.warnings) terminal.note(`Warning: ${warning}`);
  if (reading.ok) return reading.settings;
  terminal.note('Baton cannot start with these settings:');
  for (const problem of reading.problems) terminal.note(`  ${problem}`);
  return process.exit(WRONGLY_SET);
}

function addKeys(baton: Command): void {
  const keys = baton.command('keys').description('API keys. Changes reach a running host within a second.');
  withData(keys.command('create'))
    .description('Make a key and print it, this once.')
    .requiredOption('--tenant <name>', 'whose runs the key can reach')
    .requiredOption('--principal <name>', 'who acts when the key is used, as the log will say')
    .option('--role <name>', 'what the key may do, in one word: viewer, runner, approver …')
    .option('--scopes <list>', 'the same one by one, or what it may do besides: runs:create,runs:read')
    .action(async (flags: Flags & { tenant: string; principal: string; scopes?: string; role?: string }) => {
      const { createKey } = await import('./keys.ts');
      await createKey(folderOf(flags), flags, terminal);
    });
  withData(keys.command('list'))
    .description('Show all keys, without their secrets.')
    .action(async (flags: Flags) => {
      const { listKeys } = await import('./keys.ts');
      listKeys(folderOf(flags), terminal);
    });
  withData(keys.command('revoke <id>'))
    .description('Make a key useless, for good.')
    .action(async (id: string, flags: Flags) => {
      const { revokeKey } = await import('./keys.ts');
      await revokeKey(folderOf(flags), id, terminal);
    });
}

function addVerify(baton: Command): void {
  withData(baton.command('verify [runId]'))
    .description(
      'Check that the stored logs are what they were when they were written: all of them, or one run and what ' +
        'stands behind the values it took over. Ends with 1 when they are not.',
    )
    .option('--audit-key <file>', 'key that the audit trail was signed with, either half (BATON_AUDIT_KEY)')
    .action(async (runId: string | undefined, flags: Flags) => {
      const { verifyAll, verifyRun } = await import('./verify.ts');
      const where = { folder: folderOf(flags), keyFile: auditKeyFile(environment(), flags) };
      const agrees = runId === undefined ? verifyAll(where, terminal) : verifyRun(where, runId, terminal);
      if (!(await agrees)) process.exitCode = FAILED;
    });
}

function addBundles(baton: Command): void {
  withHost(baton.command('bundle <runId>'))
    .description('Write a run with everything below it to standard output, credentials masked.')
    .action(async (runId: string, flags: Flags) => {
      const { takeBundle } = await import('./bundles.ts');
      await takeBundle(hostOf(flags), runId, terminal);
    });
  withHost(baton.command('import <file>'))
    .description('Take in a bundle that another Baton has written, to read, replay and fork its runs.')
    .action(async (file: string, flags: Flags) => {
      const { importBundle } = await import('./bundles.ts');
      await importBundle(hostOf(flags), file, terminal);
    });
}

function addHeld(baton: Command): void {
  withHost(baton.command('held'))
    .description('List the runs that stopped the engine and are held, of all tenants.')
    .action(async (flags: Flags) => {
      const { listHeld } = await import('./held.ts');
      await listHeld(hostOf(flags), terminal);
    });
  withHost(baton.command('release <runId>'))
    .description('Let a held run go on.')
    .action(async (runId: string, flags: Flags) => {
      const { releaseHeld } = await import('./held.ts');
      await releaseHeld(hostOf(flags), runId, terminal);
    });
}

function addCopies(baton: Command): void {
  withData(baton.command('backup <file>'))
    .description('Copy everything stored to one file, also while the host runs.')
    .action(async (file: string, flags: Flags) => {
      const { takeBackup } = await import('./copies.ts');
      await takeBackup(folderOf(flags), file, terminal);
    });
  withData(baton.command('restore <file>'))
    .description('Put a backup into a data folder that no host is using.')
    .action(async (file: string, flags: Flags) => {
      const { restoreBackup } = await import('./copies.ts');
      await restoreBackup(folderOf(flags), file, terminal);
    });
}

function withHost(command: Command): Command {
  return withData(command)
    .option('--url <address>', 'the running host (http://127.0.0.1 at BATON_PORT)')
    .option('--api-key <key>', 'a key of the host (BATON_API_KEY; the development key in the data folder)');
}

function hostOf(flags: Flags): { url: string; apiKey: string | undefined; folder: string } {
  return { ...hostAddress(environment(), flags), folder: folderOf(flags) };
}

function withData(command: Command): Command {
  return command.option('--data <folder>', 'folder that holds everything stored (BATON_DATA; ./.baton)');
}

function folderOf(flags: Flags): string {
  return dataFolder(environment(), flags);
}
