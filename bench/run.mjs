import { failover } from './cluster/failover.mjs';
import { growth } from './cluster/growth.mjs';
import { restate } from './cluster/restate.mjs';
import { DBOS } from './dbos/install.mjs';
import { LANGGRAPH } from './langgraph/install.mjs';
import { LANGGRAPH_SERVER } from './langgraph-server/install.mjs';
import { agentStep } from './measures/agent-step.mjs';
import { agentsInFlight } from './measures/agents-in-flight.mjs';
import { commandStart } from './measures/command-start.mjs';
import { delivery } from './measures/delivery.mjs';
import { fairness } from './measures/fairness.mjs';
import { handoff } from './measures/handoff.mjs';
import { loop } from './measures/loop.mjs';
import { memory } from './measures/memory.mjs';
import { noop } from './measures/noop.mjs';
import { onPostgres } from './measures/on-postgres.mjs';
import { remembering } from './measures/remembering.mjs';
import { rewind } from './measures/rewind.mjs';
import { slowStore } from './measures/slow-store.mjs';
import { waiting } from './measures/waiting.mjs';
import { ON_POSTGRES, readOptions } from './options.mjs';
import { busyPercent, machine } from './report/machine.mjs';
import { PEER, SERVER, table } from './report/table.mjs';

/** Measures a real host, its limits and an alternative, and prints one table. */

const MEASURES = {
  handoff,
  noop,
  loop,
  waiting,
  delivery,
  rewind,
  memory,
  remembering,
  fairness,
  'slow-store': slowStore,
  'agent-step': agentStep,
  'agents-in-flight': agentsInFlight,
  'command-start': commandStart,
  [ON_POSTGRES]: onPostgres,
  failover,
  growth,
  restate,
};

/** What each measure is compared with, and the column of the table for it. */
const COMPARISONS = {
  langGraph: {
    peer: LANGGRAPH,
    column: { ...PEER, heading: 'LangGraph JS' },
    measures: ['handoff', 'loop', 'agent-step', 'agents-in-flight'],
  },
  langGraphServer: {
    peer: LANGGRAPH_SERVER,
    column: { ...SERVER, heading: 'LangGraph server' },
    measures: ['handoff', 'loop', 'agent-step'],
  },
  dbos: { peer: DBOS, column: { ...PEER, heading: 'DBOS' }, measures: [ON_POSTGRES] },
};

/** A lower load by other programs is not reported. */
const BUSY_PERCENT = 10;

const started = Date.now();

function progress(text) {
  const seconds = Math.round((Date.now() - started) / 1000);
  console.error(`${String(seconds).padStart(4)} s  ${text}`);
}

async function othersBusy() {
  const percent = await busyPercent();
  if (percent > BUSY_PERCENT) progress(`other programs keep the processors ${Math.round(percent)} % busy`);
  return percent;
}

async function main(options) {
  const { wanted, sizes, nodeFlags } = options;
  progress(machine());
  const compared = Object.entries(COMPARISONS).filter(([, { measures }]) =>
    measures.some((name) => wanted.includes(name)),
  );
  const peers = Object.fromEntries(
    compared.map(([name, { peer }]) => [name, { missing: peer.whyMissing(progress) }]),
  );
  const results = [];
  const failed = [];
  const busy = [];
  for (const name of wanted) {
    try {
      busy.push(await othersBusy());
      results.push(...(await MEASURES[name]({ sizes, nodeFlags, ...peers, progress })));
    } catch (error) {
      progress(`${name} failed: ${error.stack}`);
      failed.push(name);
    }
  }
  const columns = compared.map(([, { column }]) => column);
  const titles = compared.map(([, { peer }]) => peer.title);
  console.log(`\n${table(results, columns)}\n\n${[machine(), ...titles].join(', ')}`);
  const worst = Math.max(...busy);
  if (worst > BUSY_PERCENT) {
    console.log(`Other programs kept the processors ${Math.round(worst)} % busy; these figures are too low.`);
  }
  if (failed.length === 0) return;
  console.log(`These measures failed; the errors are above: ${failed.join(', ')}`);
  process.exitCode = 1;
}

// Child processes and folders are removed on exit. Without these handlers, a signal would skip the exit
// handlers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

await main(readOptions());
