import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster/run-cluster.ts';
import { acting } from './acting.ts';

export function addCluster(baton: Command, options: ClusterOptions): void {
  acting(baton.command('cluster'), async () => {
    const { runCluster } = await import('../cluster/run-cluster.ts');
    return (out, flags) => runCluster(out, flags, options);
  })
    .description(
      'Run several hosts on this machine that share one Postgres: that of BATON_DATABASE_URL, or one of its own.',
    )
    .option('--hosts <number>', 'how many hosts (3)')
    .option('--port <port>', 'the port of the first host; the others have the ports after it (4747)')
    .option('--data <folder>', 'folder for the files of its own Postgres (./.baton-cluster)')
    .option('--restate', 'let a Restate of its own choose the hosts that perform effects')
    .option('--kill-one <seconds>', 'start runs, and kill a host every so many seconds to see what happens')
    .addHelpText('after', '\nExample:\n  baton cluster --hosts 3 --kill-one 5');
}
