import { amount } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { atLeast, atLeastShare, atMost, below, noTarget, share } from '../report/targets.mjs';
import { IN_FLIGHT } from './throughput.mjs';

export const DELIVERY_RUNS_PER_SECOND = 200;

/** The rows of the table for a host on Postgres, beside one on SQLite. `other` is the peer, if it is there. */
export function postgresRows({ handoffs, noops, bare, alone, effect, delivered }, other, dbos) {
  const [rate, onSqlite] = [median(handoffs.postgres.rates), median(handoffs.sqlite.rates)];
  const [noop, noopOnSqlite] = [median(noops.postgres.rates), median(noops.sqlite.rates)];
  const [cpu, cpuOnSqlite] = [median(handoffs.postgres.cpu), median(handoffs.sqlite.cpu)];
  const [written, inserted] = [rate * bare.rowsPerTree, median(bare.rates)];
  return [
    {
      what: `Handoffs on Postgres, ${IN_FLIGHT} in flight`,
      host: `${amount(rate)} /s`,
      limit: `SQLite ${amount(onSqlite)} /s`,
      peer: other === undefined ? dbos.missing : `${amount(other.rate)} /s`,
      target: atLeastShare(50, rate, onSqlite, 'SQLite'),
    },
    { what: '  a second', host: `${amount(rate)} /s`, target: atLeast(1300, rate, '/s') },
    {
      what: `  rows written, ${amount(bare.rowsPerTree)} a handoff`,
      host: `${amount(written)} /s`,
      limit: `bare inserts ${amount(inserted)} /s`,
      target: atLeastShare(20, written, inserted, 'bare inserts'),
    },
    {
      what: '  processor time of the host for one',
      host: `${amount(cpu)} ms`,
      limit: `SQLite ${amount(cpuOnSqlite)} ms`,
      target: noTarget(),
    },
    {
      what: '  processor time of Postgres for one',
      host: `${amount(median(handoffs.postgres.database))} ms`,
      target: noTarget(),
    },
    {
      what: `No-op runs, ${IN_FLIGHT} in flight`,
      host: `${amount(noop)} /s`,
      limit: `SQLite ${amount(noopOnSqlite)} /s`,
      target: share(noop, noopOnSqlite),
    },
    {
      what: 'One handoff alone, median',
      host: `${amount(alone.postgres)} ms`,
      limit: `SQLite ${amount(alone.sqlite)} ms`,
      peer: other === undefined ? '' : `${amount(other.alone)} ms`,
      target: atMost(3, alone.postgres, 'ms'),
    },
    {
      what: 'A turn with one effect',
      host: `${amount(effect.postgres)} ms`,
      limit: `SQLite ${amount(effect.sqlite)} ms`,
      target: atMost(2.5, effect.postgres, 'ms'),
    },
    {
      what: `Event to SSE client at ${DELIVERY_RUNS_PER_SECOND} runs/s, p99`,
      host: `${amount(delivered.postgres)} ms`,
      limit: `SQLite ${amount(delivered.sqlite)} ms`,
      target: below(25, delivered.postgres, 'ms'),
    },
  ];
}
