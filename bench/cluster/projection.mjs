import { amount } from '../report/numbers.mjs';

/**
 * What more hosts would do, computed from the costs that were measured. It assumes that each host has processors of its
 * own, that Postgres scales over its processors, and that the cost of a handoff grows evenly with the hosts: each of them
 * reads what every other one has committed. Under load a host reads several commits at once, so the rates are the least
 * to expect.
 */

const HOSTS = [10, 100];
const DATABASE_PROCESSORS = 16;
/** The default of Postgres. */
const MAX_CONNECTIONS = 100;

export function projection(one, more) {
  return [
    `projection for hosts with processors of their own, and a Postgres with ${DATABASE_PROCESSORS} processors:`,
    ...HOSTS.map((hosts) => project(hosts, one, more)),
  ];
}

function project(hosts, one, more) {
  const at = (name) => grown(one[name], more[name], more.count, hosts);
  const byHosts = hosts / at('busiest');
  const byDatabase = DATABASE_PROCESSORS / at('postgres');
  const rate = Math.min(byHosts, byDatabase);
  const limit =
    byHosts < byDatabase ? 'the busiest thread of each host' : 'the processors of the one Postgres';
  const connections = hosts * more.connections;
  return (
    `${hosts} hosts: at least ${amount(rate)} handoffs/s, limited by ${limit} ` +
    `(hosts ${amount(byHosts)} /s, Postgres ${amount(byDatabase)} /s at ${amount(at('postgres') * 1000)} ms each); ` +
    `${amount((rate * at('logBytes')) / 1e6)} MB/s of log, ${amount(rate * at('transactions'))} transactions/s, ` +
    `${amount(connections)} connections${connections > MAX_CONNECTIONS ? ', more than max_connections by default' : ''}`
  );
}

/** A cost that fell with more hosts is taken as constant, because it fell by chance or by larger groups of commits. */
function grown(first, later, count, hosts) {
  return later <= first ? later : first + ((later - first) / (count - 1)) * (hosts - 1);
}
