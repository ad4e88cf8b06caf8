import type { Command } from 'commander';
import type { Flags } from '../settings/given.ts';
import { terminal } from '../terminal.ts';
import { hostOf, locationOf, withData, withHost, withJson } from './options.ts';

/** Commands for the operator of a host. */

export function addHeld(baton: Command): void {
  withJson(withHost(baton.command('held')))
    .description('List the runs of all tenants that stopped the engine and are held.')
    .action(async (flags: Flags) => {
      const { listHeld } = await import('../over-http/held.ts');
      await listHeld(hostOf(flags), terminal, flags.json === true);
    });
  withHost(baton.command('release <runId>'))
    .description('Let a held run go on.')
    .action(async (runId: string, flags: Flags) => {
      const { releaseHeld } = await import('../over-http/held.ts');
      await releaseHeld(hostOf(flags), runId, terminal);
    });
}

export function addSecrets(baton: Command): void {
  const secrets = baton.command('secrets').description('Secrets that tenants have set with PUT /v1/secrets.');
  withHost(secrets.command('rotate'))
    .description('Encrypt all stored secrets with a new key, and remove the keys before it.')
    .action(async (flags: Flags) => {
      const { rotateSecrets } = await import('../over-http/secrets.ts');
      await rotateSecrets(hostOf(flags), terminal);
    });
}

export function addCopies(baton: Command): void {
  withData(baton.command('backup <file>'))
    .description('Copy the database to one file. The host may be running.')
    .action(async (file: string, flags: Flags) => {
      const { takeBackup } = await import('../copies.ts');
      await takeBackup(locationOf(flags), file, terminal);
    });
  withData(baton.command('restore <file>'))
    .description('Create a data folder from a backup. No host may use the folder.')
    .action(async (file: string, flags: Flags) => {
      const { restoreBackup } = await import('../copies.ts');
      await restoreBackup(locationOf(flags), file, terminal);
    });
}
