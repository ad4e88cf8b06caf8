/**
 * How long a test file may take in `npm test`, so that the whole stays short. The run names the files that take longer.
 * The times are those of a machine that nothing else uses; a slow machine names more files.
 */
const BUDGET_MS = 3000;

interface Exception {
  readonly why: string;
  readonly ms: number;
  readonly files: readonly string[];
}

const EXCEPTIONS: readonly Exception[] = [
  {
    why: 'runs the contract of stores, nearly 500 tests, each in an empty database',
    ms: 30_000,
    files: ['packages/store-postgres/src/contract.test.ts', 'packages/store-sqlite/src/contract.test.ts'],
  },
  {
    why: 'starts the command in a process, as a user does, many times',
    ms: 20_000,
    files: [
      'packages/cli/src/authoring/author-commands.test.ts',
      'packages/cli/src/examples.test.ts',
      'packages/cli/src/main.test.ts',
      'packages/cli/src/storage-faults.test.ts',
      'tests/agents/example-readmes.test.ts',
      'tests/docs/readme.test.ts',
      'tests/product/script-help.test.ts',
      'tests/terminal/json-output.test.ts',
    ],
  },
  {
    why: 'cuts every story of a fork or a replay at every index',
    ms: 20_000,
    files: ['tests/driver/forks/branches.test.ts', 'tests/driver/forks/replays.test.ts'],
  },
  {
    why: 'starts hosts with settings of their own, or starts them again',
    ms: 15_000,
    files: [
      'tests/audit/opened-bundles.test.ts',
      'tests/client/cut-streams.test.ts',
      'tests/client/restarts.test.ts',
      'tests/cluster/takeover.test.ts',
      'tests/http/oidc.test.ts',
      'tests/http/peers.test.ts',
      'tests/http/seams.test.ts',
      'tests/http/secrets.test.ts',
      'tests/http/session-lifetimes.test.ts',
      'tests/http/starting.test.ts',
      'tests/http/stopping.test.ts',
      'tests/http/tenant-secrets.test.ts',
      'tests/mcp/restarts.test.ts',
      'tests/models/host.test.ts',
      'tests/models/thread.test.ts',
      'tests/peers/mtls.test.ts',
      'tests/peers/two-hosts.test.ts',
      'tests/traces/across-hosts.test.ts',
      'tests/traces/exported.test.ts',
      'tests/webhooks/over-http.test.ts',
    ],
  },
  {
    why: 'starts a server, a browser or a tool that is not ours',
    ms: 12_000,
    files: ['tests/browser/tour.test.ts', 'tests/tools/everything.test.ts'],
  },
  {
    why: 'takes every fixture, file, field or seed in turn',
    ms: 12_000,
    files: [
      'tests/agents/critic-crashes.test.ts',
      'tests/http/canary.test.ts',
      'tests/reference/fixtures.test.ts',
      'tests/simulator/first-half.test.ts',
      'tests/simulator/second-half.test.ts',
      'tests/tidy/exports.test.ts',
      'tests/tidy/shape.test.ts',
    ],
  },
];

const LONGER = new Map(EXCEPTIONS.flatMap(({ ms, files }) => files.map((file) => [file, ms] as const)));

export const budgetOf = (file: string): number => LONGER.get(file) ?? BUDGET_MS;
