import { setTimeout as sleep } from 'node:timers/promises';
import { cpuPercent } from '../host/process-stats.mjs';
import { load } from '../report/machine.mjs';
import { amount } from '../report/numbers.mjs';
import { below, noTarget } from '../report/targets.mjs';
import { NOOP_WORKFLOW } from '../workflows/single-node.mjs';
import { withHosts } from './with-hosts.mjs';

/** What three hosts cost that have nothing to do. */
export async function idleHosts({ sizes, progress }) {
  const { settleSeconds, idleSeconds } = sizes;
  progress(`three idle hosts, observed for ${idleSeconds} s after ${settleSeconds} s`);
  const { shares, transactions, database } = await withHosts(
    3,
    [NOOP_WORKFLOW],
    {},
    async (hosts, postgres) => {
      // Node collects the garbage of the start once, about fifteen seconds after it.
      await sleep(settleSeconds * 1000);
      const before = { transactions: await postgres.transactions(), seconds: postgres.processorSeconds() };
      const found = await Promise.all(hosts.map(({ pid }) => cpuPercent(pid, idleSeconds)));
      const seconds = postgres.processorSeconds() - before.seconds;
      return {
        shares: found,
        transactions: ((await postgres.transactions()) - before.transactions) / idleSeconds,
        database: (seconds / idleSeconds) * 100,
      };
    },
  );
  const most = Math.max(...shares);
  progress(
    `processor time ${shares.map((share) => `${amount(share)} %`).join(', ')}; Postgres ${amount(database)} %, ` +
      `${amount(transactions)} transactions/s${load()}`,
  );
  return [
    {
      what: 'Three idle hosts: processor time of one, most',
      host: `${amount(most)} %`,
      target: below(1, most, '%'),
    },
    {
      what: '  transactions of all three',
      host: `${amount(transactions)} /s`,
      limit: `Postgres ${amount(database)} %`,
      target: noTarget(),
    },
  ];
}
