import type { Command } from 'commander';
import { environment } from '../settings/given.ts';
import { acting } from './acting.ts';
import { hostOf, locationOf, withData, withHost } from './options.ts';

/** Commands for the operator of a host. */

export function addHeld(baton: Command): void {
  acting(withHost(baton.command('held')), async () => {
    const { listHeld } = await import('../over-http/held.ts');
    return (out, flags) => listHeld(hostOf(flags), out);
  }).description('List the runs of all tenants that stopped the engine and are held.');
  acting<[string]>(withHost(baton.command('release <runId>')), async () => {
    const { releaseHeld } = await import('../over-http/held.ts');
    return (out, flags, runId) => releaseHeld(hostOf(flags), runId, out);
  }).description('Let a held run go on.');
}

export function addSecrets(baton: Command): void {
  const secrets = baton.command('secrets').description('Secrets that tenants have set with PUT /v1/secrets.');
  acting(withHost(secrets.command('rotate')), async () => {
    const { rotateSecrets } = await import('../over-http/secrets.ts');
    return (out, flags) => rotateSecrets(hostOf(flags), out);
  }).description('Encrypt all stored secrets with a new key, and remove the keys before it.');
}

export function addCopies(baton: Command): void {
  acting<[string]>(withData(baton.command('backup <file>')), async () => {
    const { takeBackup } = await import('../copies.ts');
    return (out, flags, file) => takeBackup(locationOf(flags), file, out);
  }).description('Copy the database to one file. The host may be running.');
  acting<[string]>(withData(baton.command('restore <file>')), async () => {
    const { restoreBackup } = await import('../copies.ts');
    return (out, flags, file) => restoreBackup(locationOf(flags), file, out);
  }).description('Create a data folder from a backup. No host may use the folder.');
  acting(withData(baton.command('move')), async () => {
    const { moveData } = await import('../move/move-data.ts');
    return (out, flags) => moveData(environment(), flags, out);
  })
    .description(
      'Copy the data folder of a stopped host into an empty Postgres database, and check it there.',
    )
    .requiredOption('--to <url>', 'the empty database: postgres://user:password@server:5432/name');
}
