import type { Command } from 'commander';
import { talking } from './talking.ts';

/** Facts about the host, and about what the tenant has used on it. */

export function addUsage(baton: Command): void {
  talking(baton.command('usage'), async () => (await import('../host/show-usage.ts')).showUsage)
    .description(
      'Show the tokens, tool calls and costs of each of the last days. Days begin at midnight in UTC.',
    )
    .option('--days <number>', 'how many days, with today (30)')
    .option('--agents', 'by agent instead of by day, those with the most tokens first')
    .addHelpText('after', '\nExample:\n  baton usage --days 7 --agents');
}

export function addHosts(baton: Command): void {
  talking(baton.command('hosts'), async () => (await import('../host/show-hosts.ts')).showHosts)
    .description('Show the hosts that share the data of this one, and what each has to do, to the operator.')
    .addHelpText('after', '\nExample:\n  baton hosts');
}

export function addHost(baton: Command): void {
  talking(baton.command('host'), async () => (await import('../host/show-host.ts')).showHost)
    .description('Show the version, the storage, the retention and the limits of the host, to its operator.')
    .addHelpText('after', '\nExample:\n  baton host');
}
