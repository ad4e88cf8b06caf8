import type { StorageLocation } from '@baton/server/storage';
import { Command, Option } from 'commander';
import { explain } from './explain.ts';
import type { RunningHost } from './over-http/running-host.ts';
import type { OwnHost, PeerFlags } from './peers/add-peer.ts';
import { withExamples } from './settings/example-settings.ts';
import { wantsColour, wantsStacks } from './settings/output-wishes.ts';
import {
  auditKeyFile,
  environment,
  type Flags,
  flagOf,
  hostAddress,
  ownHostId,
  readSettings,
  SETTINGS,
  type Settings,
  storageLocation,
} from './settings.ts';
import { terminal } from './terminal.ts';
import { version } from './version.ts';

/** The `baton` command. Each action imports its code when it runs, so that small commands start quickly. */

const FAILED = 1;
const WRONGLY_SET = 2;

interface Defaults {
  /** The folder of the examples, which are served where the operator names no others. */
  readonly examplesFolder?: string;
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

export function program(defaults: Defaults): Command {
  const baton = new Command('baton')
    .description('A durable host for multi-agent workflows.')
    .version(version())
    .showHelpAfterError('(--help lists the commands and options)');
  addServe(baton, defaults);
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
    const settings = settingsOrExit(flags, defaults);
    const { serve } = await import('./serve.ts');
    const colour = wantsColour(environment(), process.stdout.isTTY === true);
    await serve(settings, colour, terminal);
    process.exit();
  });
}

function settingsOrExit(flags: Flags, { examplesFolder }: Defaults): Settings {
  const given = environment();
  const env = examplesFolder === undefined ? given : withExamples(given, flags, examplesFolder);
  const reading = readSettings(env, flags);
  for (const warning of reading.warnings) terminal.note(`Warning: ${warning}`);
  if (reading.ok) return reading.settings;
  terminal.note('Baton cannot start with these settings:');
  for (const problem of reading.problems) terminal.note(`  ${problem}`);
  return process.exit(WRONGLY_SET);
}

function addKeys(baton: Command): void {
  const keys = baton.command('keys').description('API keys. Changes reach a running host within a second.');
  withData(keys.command('create'))
    .description('Create a key and print it. It cannot be shown again.')
    .requiredOption('--tenant <name>', 'the tenant whose runs the key can use')
    .requiredOption('--principal <name>', 'the person or program that uses the key; recorded in logs')
    .option('--role <name>', 'a set of permissions: viewer, runner, approver …')
    .option('--scopes <list>', 'single permissions, instead of a role or besides it: runs:create,runs:read')
    .action(async (flags: Flags & { tenant: string; principal: string; scopes?: string; role?: string }) => {
      const { createKey } = await import('./keys.ts');
      await createKey(locationOf(flags), flags, terminal);
    });
  withData(keys.command('list'))
    .description('Show all keys, without their secrets.')
    .action(async (flags: Flags) => {
      const { listKeys } = await import('./keys.ts');
      await listKeys(locationOf(flags), terminal);
    });
  withData(keys.command('revoke <id>'))
    .description('Revoke a key permanently.')
    .action(async (id: string, flags: Flags) => {
      const { revokeKey } = await import('./keys.ts');
      await revokeKey(locationOf(flags), id, terminal);
    });
}

function addPeers(baton: Command): void {
  const peers = baton
    .command('peers')
    .description(
      'Other hosts that work for this one, or give work to it. Changes reach a running host within a second.',
    );
  withData(peers.command('add <name>'))
    .description('Add another host. Its id and its audit key are read from the host, unless they are given.')
    .requiredOption('--url <address>', 'the address of the host, such as https://baton.acme.example')
    .option('--host-id <id>', 'the id of the host')
    .option('--audit-key <file>', 'the public audit key of the host, as PEM')
    .option('--a2a', 'an agent of another kind, which only works for this host')
    .option(
      '--secret <name>',
      'a secret of the tenant * that is sent to the host (a token that this host signs)',
    )
    .option('--tenant <name>', 'the tenant in which the runs of the host are (peer-<name>)')
    .option('--publish <list>', 'workflows and agents that only this host may use, separated by commas')
    .action(async (name: string, flags: Flags & PeerFlags) => {
      const { addPeer } = await import('./peers/add-peer.ts');
      await addPeer(ownHost(flags), name, flags, terminal);
    });
  withData(peers.command('list'))
    .description('Show this host as other hosts know it, and all peers.')
    .option('--audit-key <file>', 'public or private audit key of this host (BATON_AUDIT_KEY)')
    .action(async (flags: Flags) => {
      const { listPeers } = await import('./peers/known-peers.ts');
      await listPeers(
        { ...ownHost({ data: flags.data }), auditKeyFile: auditKeyFile(environment(), flags) },
        terminal,
      );
    });
  withData(peers.command('remove <name>'))
    .description('Remove a peer. Its requests are refused, and no work is handed to it.')
    .action(async (name: string, flags: Flags) => {
      const { removePeer } = await import('./peers/known-peers.ts');
      await removePeer(ownHost(flags), name, terminal);
    });
}

/** The flag `--host-id` of these commands names the other host, so only the environment names this one. */
function ownHost(flags: Flags): OwnHost {
  return { location: locationOf(flags), hostId: ownHostId(environment()) };
}

function addVerify(baton: Command): void {
  withData(baton.command('verify [runId]'))
    .description(
      'Check that the stored logs are unchanged: all of them, or one run and the checksums, verdicts and ' +
        'approvals of the values that were merged into it. Exits with 1 if something was changed.',
    )
    .option('--audit-key <file>', 'public or private key of the audit trail (BATON_AUDIT_KEY)')
    .action(async (runId: string | undefined, flags: Flags) => {
      const { verifyAll, verifyRun } = await import('./verify.ts');
      const where = { location: locationOf(flags), keyFile: auditKeyFile(environment(), flags) };
      const agrees = runId === undefined ? verifyAll(where, terminal) : verifyRun(where, runId, terminal);
      if (!(await agrees)) process.exitCode = FAILED;
    });
}

function addAncestry(baton: Command): void {
  withHost(baton.command('ancestry <runId>'))
    .description(
      'Show which runs led to a run, from host to host. Exits with 1 if a host could not be asked.',
    )
    .option(
      '--key-for <address=key>',
      'the key for another host, such as https://baton.acme.example=<key>; may be repeated',
      (given: string, before: readonly string[]) => [...before, given],
      [],
    )
    .action(async (runId: string, flags: Flags & { keyFor: readonly string[] }) => {
      const { showAncestry } = await import('./over-http/ancestry.ts');
      if (!(await showAncestry(hostOf(flags), runId, flags.keyFor, terminal))) process.exitCode = FAILED;
    });
}

function addBundles(baton: Command): void {
  withHost(baton.command('bundle <runId>'))
    .description('Write a run with its children to standard output, with secrets masked.')
    .action(async (runId: string, flags: Flags) => {
      const { takeBundle } = await import('./over-http/bundles.ts');
      await takeBundle(hostOf(flags), runId, terminal);
    });
  withHost(baton.command('import <file>'))
    .description('Import a bundle that another Baton has written, to read, replay and fork its runs.')
    .action(async (file: string, flags: Flags) => {
      const { importBundle } = await import('./over-http/bundles.ts');
      await importBundle(hostOf(flags), file, terminal);
    });
}

function addHeld(baton: Command): void {
  withHost(baton.command('held'))
    .description('List the runs of all tenants that stopped the engine and are held.')
    .action(async (flags: Flags) => {
      const { listHeld } = await import('./over-http/held.ts');
      await listHeld(hostOf(flags), terminal);
    });
  withHost(baton.command('release <runId>'))
    .description('Let a held run go on.')
    .action(async (runId: string, flags: Flags) => {
      const { releaseHeld } = await import('./over-http/held.ts');
      await releaseHeld(hostOf(flags), runId, terminal);
    });
}

function addSecrets(baton: Command): void {
  const secrets = baton.command('secrets').description('Secrets that tenants have set with PUT /v1/secrets.');
  withHost(secrets.command('rotate'))
    .description('Encrypt all stored secrets with a new key, and remove the keys before it.')
    .action(async (flags: Flags) => {
      const { rotateSecrets } = await import('./over-http/secrets.ts');
      await rotateSecrets(hostOf(flags), terminal);
    });
}

function addCopies(baton: Command): void {
  withData(baton.command('backup <file>'))
    .description('Copy the database to one file. The host may be running.')
    .action(async (file: string, flags: Flags) => {
      const { takeBackup } = await import('./copies.ts');
      await takeBackup(locationOf(flags), file, terminal);
    });
  withData(baton.command('restore <file>'))
    .description('Create a data folder from a backup. No host may use the folder.')
    .action(async (file: string, flags: Flags) => {
      const { restoreBackup } = await import('./copies.ts');
      await restoreBackup(locationOf(flags), file, terminal);
    });
}

function withHost(command: Command): Command {
  return withData(command)
    .option('--url <address>', 'the running host (http://127.0.0.1 at BATON_PORT)')
    .option('--api-key <key>', 'a key of the host (BATON_API_KEY; the development key in the data folder)');
}

function hostOf(flags: Flags): RunningHost {
  return { ...hostAddress(environment(), flags), storage: locationOf(flags) };
}

function withData(command: Command): Command {
  return command.option('--data <folder>', 'folder that holds everything stored (BATON_DATA; ./.baton)');
}

function locationOf(flags: Flags): StorageLocation {
  return storageLocation(environment(), flags);
}
