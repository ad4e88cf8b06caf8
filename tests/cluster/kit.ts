import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declare, edge, node, workflow } from '../../packages/conformance/src/testkit/workflows.ts';
import { type OwnServer, startOwnServer } from '../../packages/store-postgres/src/server/own-server.ts';
import { binariesOf } from '../../packages/store-postgres/testing/postgres-server.ts';
import { type RestateKit, startRestateKit } from './restate-kit.ts';
import { type ShakyLink, shakyLink } from './shaky-link.ts';
import { type SlowModel, startSlowModel } from './slow-model.ts';

/** Real hosts as processes, a real Postgres, and a way between them that can be disturbed. */

const KEY = 'a-key-for-the-cluster-tests';
const BATON = fileURLToPath(new URL('../../packages/cli/bin/baton.js', import.meta.url));
const SKEW = new URL('./skewed-clock.mjs', import.meta.url).href;

export interface ClusterHost {
  readonly url: string;
  readonly link: ShakyLink;
  /** Resolves when the process has ended, with its exit code. */
  readonly exited: Promise<number | null>;
  isRunning(): boolean;
  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void;
  /** What it has written. */
  output(): string;
}

export interface Cluster {
  readonly folder: string;
  readonly model: SlowModel;
  /** Only where the cluster was started with it. */
  readonly restate: RestateKit | undefined;
  database(): OwnServer;
  /** Ends Postgres as in a power cut, and starts it again on the same port. */
  restartDatabase(): Promise<void>;
  startHost(env?: Readonly<Record<string, string>>): Promise<ClusterHost>;
  stop(): Promise<void>;
}

/** Workflows of all kinds: a wait, a call of a model, many steps, a question to a person, and one that never ends. */
const DEFINITIONS: readonly Readonly<Record<string, unknown>>[] = [
  workflow('waits', [node('wait', 'core.delay', { ms: 300 })]),
  workflow('waits-longer', [node('wait', 'core.delay', { ms: 4000 })]),
  {
    ...workflow('asks', [
      {
        ...node('ask', 'core.ai.callPrompt', { provider: 'slow', model: 'slow' }),
        inputs: { prompt: { type: 'variable', variableName: 'question' } },
      },
    ]),
    variables: [{ name: 'question', type: 'string' }],
  },
  workflow(
    'steps',
    Array.from({ length: 30 }, (_, index) => node(`n${index}`, 'core.noop')),
    { edges: Array.from({ length: 29 }, (_, index) => edge(`n${index}`, `n${index + 1}`)) },
  ),
  workflow('approves', [node('approve', 'core.approvalGate', { title: 'Go on?' })], {
    variables: declare({}),
  }),
];

export async function startCluster(
  more: readonly Readonly<Record<string, unknown>>[] = [],
  scheduler: 'plain' | 'restate' = 'plain',
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-cluster-'));
  // Postgres runs as another user if this process is root.
  chmodSync(folder, 0o755);
  const workflows = join(folder, 'workflows');
  mkdirSync(workflows);
  for (const definition of [...DEFINITIONS, ...more])
    writeFileSync(join(workflows, `${definition.id}.json`), JSON.stringify(definition));
  const model = await startSlowModel();
  const models = join(folder, 'models.json');
  writeFileSync(
    models,
    JSON.stringify({
      providers: { slow: { kind: 'openai-compatible', baseURL: model.baseURL, concurrency: 2000 } },
      classes: { general: 'slow/slow' },
    }),
  );
  let database = await startOwnServer({ binaries: binariesOf(18), folder: join(folder, 'postgres') });
  const { port } = database;
  const restate = scheduler === 'restate' ? await startRestateKit(folder) : undefined;
  const hosts: ChildProcess[] = [];

  async function startHost(env: Readonly<Record<string, string>> = {}): Promise<ClusterHost> {
    const link = await shakyLink(() => port);
    const joined = await restate?.join(env);
    const child = spawn(process.execPath, [BATON, 'serve', '--json'], {
      env: {
        ...process.env,
        ...(env.SKEWED_CLOCK_MS !== undefined && { NODE_OPTIONS: `--import ${SKEW}` }),
        BATON_PORT: '0',
        BATON_DATABASE_URL: database.url().replace(`:${port}/`, `:${link.port}/`),
        BATON_API_KEY: KEY,
        BATON_WORKFLOWS: workflows,
        BATON_MODELS: models,
        BATON_MAX_EFFECTS: '2000',
        BATON_LEASE: '2',
        BATON_CONSOLE: 'off',
        ...joined?.env,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    hosts.push(child);
    let output = '';
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    const url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        if (output.length < 200_000) output += chunk.toString();
        const found = /"url":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(output);
        if (found?.[1] !== undefined) resolve(found[1]);
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      void exited.then((code) => reject(new Error(`the host ended with ${code}: ${output}`)));
    });
    void exited.then(() => {
      joined?.leave();
      return link.close();
    });
    return {
      url,
      link,
      exited,
      isRunning: () => child.exitCode === null && child.signalCode === null,
      signal: (signal) => void child.kill(signal),
      output: () => output,
    };
  }

  return {
    folder,
    model,
    restate,
    database: () => database,
    async restartDatabase() {
      await database.stop('at once');
      database = await startOwnServer({ binaries: binariesOf(18), folder: join(folder, 'postgres'), port });
    },
    startHost,
    async stop() {
      for (const child of hosts) child.kill('SIGKILL');
      await restate?.stop();
      await model.close();
      await database.stop('at once');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many routes are read in tests.
  readonly body: any;
}

export async function call(
  { url }: Pick<ClusterHost, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${KEY}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

export async function startRun(host: ClusterHost, workflowId: string, inputs: object = {}): Promise<string> {
  const { status, body } = await call(host, 'POST', '/v1/runs', { workflowId, inputs });
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.runId;
}

export async function statusOf(host: ClusterHost, runId: string): Promise<string> {
  return (await call(host, 'GET', `/v1/runs/${runId}`)).body.status;
}
