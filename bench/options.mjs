import { parseArgs } from 'node:util';

/** The options of the command line, and the sizes of the measures. */

const FULL = {
  warmUpSeconds: 3,
  seconds: 4,
  rounds: 3,
  capturedTrees: 5000,
  loopTurns: 10_000,
  peerLoopTurns: 1000,
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
};

const QUICK = {
  warmUpSeconds: 1,
  seconds: 2,
  rounds: 1,
  capturedTrees: 1000,
  loopTurns: 2000,
  peerLoopTurns: 200,
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
};

export function usage(measures) {
  return `npm run bench -- [--quick] [--only <measures>] [--profile <folder>]

  --quick             smaller sizes: about a minute and a half, less accurate figures
  --only <measures>   some of ${measures.join(', ')}, separated by commas
  --profile <folder>  write CPU profiles of the host's threads to the folder; slows the host`;
}

/** Throws an error for an unknown option or measure. */
export function readOptions(argv, measures) {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const wanted = values.only === undefined ? measures : values.only.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !measures.includes(name));
  if (unknown.length > 0) throw new Error(`There is no measure called ${unknown.join(', ')}.`);
  return {
    help: values.help,
    wanted,
    sizes: values.quick ? QUICK : FULL,
    nodeFlags: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
  };
}
