import type { Command } from 'commander';
import type { Flags } from '../settings/given.ts';
import { terminal } from '../terminal.ts';
import { locationOf, withData, withJson } from './options.ts';

export function addKeys(baton: Command): void {
  const keys = baton.command('keys').description('API keys. Changes reach a running host within a second.');
  withData(keys.command('create'))
    .description('Create a key and print it. It cannot be shown again.')
    .requiredOption('--tenant <name>', 'the tenant whose runs the key can use')
    .requiredOption('--principal <name>', 'the person or program that uses the key; recorded in logs')
    .option('--role <name>', 'a set of permissions: viewer, runner, approver …')
    .option('--scopes <list>', 'single permissions, instead of a role or besides it: runs:create,runs:read')
    .action(async (flags: Flags & { tenant: string; principal: string; scopes?: string; role?: string }) => {
      const { createKey } = await import('../keys.ts');
      await createKey(locationOf(flags), flags, terminal);
    });
  withJson(withData(keys.command('list')))
    .description('Show all keys, without their secrets.')
    .action(async (flags: Flags) => {
      const { listKeys } = await import('../keys.ts');
      await listKeys(locationOf(flags), terminal, flags.json === true);
    });
  withData(keys.command('revoke <id>'))
    .description('Revoke a key permanently.')
    .action(async (id: string, flags: Flags) => {
      const { revokeKey } = await import('../keys.ts');
      await revokeKey(locationOf(flags), id, terminal);
    });
}
