import type { Command } from 'commander';
import type { Flags } from '../settings/given.ts';
import { acting } from './acting.ts';
import { locationOf, withData } from './options.ts';

type HolderFlags = Flags & { tenant: string; principal: string; scopes?: string; role?: string };

export function addKeys(baton: Command): void {
  const keys = baton.command('keys').description('API keys. Changes reach a running host within a second.');
  acting<[], HolderFlags>(withData(keys.command('create')), async () => {
    const { createKey } = await import('../keys.ts');
    return (out, flags) => createKey(locationOf(flags), flags, out);
  })
    .description('Create a key and print it. It cannot be shown again.')
    .requiredOption('--tenant <name>', 'the tenant whose runs the key can use')
    .requiredOption('--principal <name>', 'the person or program that uses the key; recorded in logs')
    .option('--role <name>', 'a set of permissions: viewer, runner, approver …')
    .option('--scopes <list>', 'single permissions, instead of a role or besides it: runs:create,runs:read');
  acting(withData(keys.command('list')), async () => {
    const { listKeys } = await import('../keys.ts');
    return (out, flags) => listKeys(locationOf(flags), out);
  }).description('Show all keys, without their secrets.');
  acting<[string]>(withData(keys.command('revoke <id>')), async () => {
    const { revokeKey } = await import('../keys.ts');
    return (out, flags, id) => revokeKey(locationOf(flags), id, out);
  }).description('Revoke a key permanently.');
}
