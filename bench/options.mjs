import { parseArgs } from 'node:util';

/** The options of the command line, and the sizes of the measures. */

const FULL = {
  warmUpSeconds: 3,
  warmUpRuns: 3000,
  seconds: 4,
  rounds: 3,
  capturedTrees: 5000,
  loopTurns: 10_000,
  effectTurns: 2000,
  peerLoopTurns: 1000,
  serverSteps: 50,
  probeSeconds: 15,
  waitingRuns: 50_000,
  idleSeconds: 10,
  deliverySeconds: 15,
  memoryEntries: 1_000_000,
  longRunEvents: 100_000,
  shortRunEvents: 1000,
  requests: 200,
  attackSeconds: 8,
  agentsInFlight: 200,
  streamSeconds: 10,
  askingTrees: 1000,
  cancels: 20,
  settleSeconds: 30,
};

const QUICK = {
  warmUpSeconds: 1,
  warmUpRuns: 1000,
  seconds: 2,
  rounds: 1,
  capturedTrees: 1000,
  loopTurns: 2000,
  effectTurns: 500,
  peerLoopTurns: 200,
  serverSteps: 20,
  probeSeconds: 3,
  waitingRuns: 5000,
  idleSeconds: 3,
  deliverySeconds: 4,
  memoryEntries: 100_000,
  longRunEvents: 20_000,
  shortRunEvents: 1000,
  requests: 50,
  attackSeconds: 4,
  agentsInFlight: 200,
  streamSeconds: 4,
  askingTrees: 300,
  cancels: 5,
  settleSeconds: 20,
};

export function usage(measures) {
  return `npm run bench -- [--quick] [--only <measures>] [--store postgres] [--profile <folder>]

  --quick             smaller sizes: about a minute and a half, less accurate figures
  --only <measures>   some of ${measures.filter((name) => name !== ON_POSTGRES).join(', ')}, separated by commas
  --store postgres    a host on Postgres instead, by turns with one on SQLite
  --profile <folder>  write CPU profiles of the host's threads to the folder; slows the host`;
}

/** The measure that `--store postgres` stands for. */
export const ON_POSTGRES = 'on-postgres';

/** Measures that take minutes and need Postgres. They run only if they are named. */
const ONLY_IF_NAMED = ['failover', 'growth', 'restate'];

/** Throws an error for an unknown option or measure. */
export function readOptions(argv, measures) {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      store: { type: 'string', default: 'sqlite' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    wanted: wantedOf(values, measures),
    sizes: values.quick ? QUICK : FULL,
    nodeFlags: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
  };
}

function wantedOf({ only, store }, measures) {
  if (store === 'postgres') {
    if (only === undefined) return [ON_POSTGRES];
    throw new Error('--store postgres has measures of its own, so --only cannot be given with it.');
  }
  if (store !== 'sqlite') throw new Error(`There is no store called ${store}: sqlite or postgres.`);
  const named = measures.filter((name) => name !== ON_POSTGRES);
  if (only === undefined) return named.filter((name) => !ONLY_IF_NAMED.includes(name));
  const wanted = only.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !named.includes(name));
  if (unknown.length > 0) throw new Error(`There is no measure called ${unknown.join(', ')}.`);
  return wanted;
}
