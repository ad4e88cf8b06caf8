import { parsedOptions, refuse } from '../scripts/usage.mjs';

/** The options of the command line, and the names and sizes of the measures. */

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

/** The measure that `--store postgres` stands for. */
export const ON_POSTGRES = 'on-postgres';

/** The measures of a run in which none is named, in their order. */
const USUAL = [
  ...['handoff', 'noop', 'loop', 'waiting', 'delivery', 'rewind', 'memory', 'remembering', 'fairness'],
  ...['slow-store', 'agent-step', 'agents-in-flight', 'command-start'],
];
/** Measures that take minutes and need Postgres. They run only if they are named. */
const ONLY_IF_NAMED = ['failover', 'growth', 'restate'];

const NAMES = [...USUAL, ...ONLY_IF_NAMED];

const USAGE = `npm run bench -- [--quick] [--only <measures>] [--store postgres] [--profile <folder>]

  --quick             smaller sizes: about a minute and a half, less accurate figures
  --only <measures>   some of ${NAMES.join(', ')}, separated by commas
  --store postgres    a host on Postgres instead, by turns with one on SQLite
  --profile <folder>  write CPU profiles of the host's threads to the folder; slows the host`;

/** Refuses an unknown option or measure. */
export function readOptions() {
  const { values } = parsedOptions(USAGE, {
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      store: { type: 'string', default: 'sqlite' },
      profile: { type: 'string' },
    },
  });
  return {
    wanted: wantedOf(values),
    sizes: values.quick ? QUICK : FULL,
    nodeFlags: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
  };
}

function wantedOf({ only, store }) {
  if (store === 'postgres') {
    if (only === undefined) return [ON_POSTGRES];
    return refuse('--store postgres has measures of its own, so --only cannot be given with it.', USAGE);
  }
  if (store !== 'sqlite') refuse(`There is no store called ${store}: sqlite or postgres.`, USAGE);
  if (only === undefined) return USUAL;
  const wanted = only.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) refuse(`There is no measure called ${unknown.join(', ')}.`, USAGE);
  return wanted;
}
