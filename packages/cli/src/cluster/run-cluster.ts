import { randomBytes } from 'node:crypto';
import { type Baton, connect } from '@baton/client';
import { wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { nodeFetch } from '../over-http/node-fetch.ts';
import { environment, type Flags, find } from '../settings/given.ts';
import { stopOnSignal } from '../stop-signals.ts';
import { openDatabase, openRestate } from './cluster-services.ts';
import { endedBy, type HostProcess, startHostProcess } from './host-process.ts';
import { killInTurn } from './kill-in-turn.ts';
import { startAgain } from './start-again.ts';

/** Several hosts on this machine that share one Postgres, to try out what happens when one of them is lost. */

export interface ClusterOptions {
  /** The program and its arguments before the name of a command. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly installedBy?: string | undefined;
  /** A file of the program that has installed Restate. */
  readonly restateInstalledBy?: string | undefined;
  /** Settings of the hosts, such as the folder of the examples. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const MOST_HOSTS = 16;
const RESTATE_ENDED =
  'Restate has ended. Effects begin and deadlines ring later now, by the lease. To have it back, start this command again.';

export async function runCluster(out: Output, flags: Flags, options: ClusterOptions): Promise<ExitCode> {
  const count = wholeNumber('--hosts', flags.hosts ?? '3', 1, MOST_HOSTS);
  const firstPort = wholeNumber('--port', flags.port ?? '4747', 1, 65_535 - MOST_HOSTS);
  const killEvery =
    flags.killOne === undefined ? undefined : wholeNumber('--kill-one', flags.killOne, 1, 3600);
  const given = find('BATON_DATABASE_URL', environment(), flags)?.text;
  const folder = String(flags.data ?? './.baton-cluster');
  const database = await openDatabase({ given, folder, installedBy: options.installedBy });
  const key =
    find('BATON_API_KEY', environment(), {})?.text ?? `baton_dev_${randomBytes(18).toString('base64url')}`;
  const hosts = new Map<number, HostProcess>();
  const restate = await openRestate({
    ...{ wanted: flags.restate === true, folder, installedBy: options.restateInstalledBy },
    ports: () => [...hosts.keys()],
    onEnded: () => out.give({ event: 'restate-ended' }, RESTATE_ENDED),
  });
  const env = {
    ...environment(),
    ...options.env,
    BATON_DATABASE_URL: database.url,
    BATON_API_KEY: key,
    ...(killEvery !== undefined && { BATON_LEASE: environment().BATON_LEASE ?? '2' }),
  };

  async function start(port: number): Promise<HostProcess> {
    const host = await startHostProcess({
      port,
      command: options.command,
      env: { ...env, ...restate.env(port) },
      onExit: (gone, how) => {
        hosts.delete(gone);
        out.give({ event: 'ended', port: gone, ...how }, `The host on port ${gone} ${endedBy(how)}.`);
        again.ended(gone);
      },
      onLine: (from, line) => out.note(`${from}: ${line}`),
    });
    hosts.set(port, host);
    return host;
  }

  const again = startAgain({ start, out, later });

  try {
    // The first host brings the database up to date.
    await start(firstPort);
    await Promise.all(Array.from({ length: count - 1 }, (_, at) => start(firstPort + at + 1)));
    const urls = [...hosts.values()].map(({ url }) => url).sort();
    out.give(
      { event: 'ready', hosts: urls, key, database: database.place, restate: restate.consoleUrl },
      ready({ urls, key, ...database, restateConsole: restate.consoleUrl }, out),
    );
    const clients = () => [...hosts.values()].map(({ port, url }) => ({ port, baton: clientOf(url, key) }));
    const stopping: (() => Promise<void>)[] = [];
    if (killEvery !== undefined) {
      stopping.push(startRuns(clients, out));
      stopping.push(killInTurn({ everyMs: killEvery * 1000, hosts, clients, start, out }));
    }
    await stopOnSignal(
      async () => {
        for (const stop of stopping) await stop();
      },
      process,
      Date.now,
      out.note,
    );
  } finally {
    await again.stop();
    await Promise.all([...hosts.values()].map((host) => host.stop()));
    await restate.stop();
    await database.stop();
  }
  return EXIT.done;
}

function later(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

function clientOf(url: string, key: string): Baton {
  return connect({ url, key, fetch: nodeFetch, patience: { tries: 1 } });
}

interface ReadyCluster {
  readonly urls: readonly string[];
  readonly key: string;
  readonly place: string;
  /** The address of a Postgres of our own. */
  readonly ownUrl?: string;
  readonly restateConsole: string | undefined;
}

function ready({ urls, key, place, ownUrl, restateConsole }: ReadyCluster, { paint }: Output): string {
  return [
    '',
    `${paint.bold('Baton')}, ${urls.length} hosts that share one Postgres`,
    '',
    ...urls.map((url) => `  ${paint.dim('host      ')}${url}`),
    `  ${paint.dim('API key   ')}${key}`,
    `  ${paint.dim('database  ')}${place}`,
    ...(restateConsole === undefined ? [] : [`  ${paint.dim('Restate   ')}${restateConsole}`]),
    '',
    paint.dim('The console is at each of these addresses. Sign in with the API key.'),
    '',
    paint.dim('In another terminal:'),
    '',
    `  npx baton hosts --url ${urls[0]} --key ${key}`,
    ...(ownUrl === undefined ? [] : [`  BATON_DATABASE_URL=${ownUrl} npx baton keys list`]),
    '',
  ].join('\n');
}

function wholeNumber(name: string, text: unknown, least: number, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw wrongUsage(`${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}

const EVERY_MS = 250;
const TELL_EVERY_MS = 5000;
/** The examples that need no person. */
const WORKFLOWS = ['research-desk', 'hello'];

/** Starts runs of the examples at random hosts, so that there is something to take over. Tells how many have ended. */
function startRuns(clients: () => readonly { readonly baton: Baton }[], out: Output): () => Promise<void> {
  let started = 0;
  let refused = 0;

  async function startOne(): Promise<void> {
    const all = clients();
    const one = all[Math.floor(Math.random() * all.length)];
    const workflow = WORKFLOWS[started % WORKFLOWS.length] ?? '';
    if (one === undefined) return;
    try {
      await one.baton.runs.start(workflow, {});
      started += 1;
    } catch {
      // The host was just killed. Somebody who uses the cluster tries another one.
      refused += 1;
    }
  }

  async function tell(): Promise<void> {
    const [one] = clients();
    if (one === undefined) return;
    const { byStatus, total } = await one.baton.runs.stats();
    const completed = byStatus.completed ?? 0;
    out.give(
      { event: 'runs', started, refused, total, byStatus },
      `  ${total} runs, ${completed} completed, ${byStatus.failed ?? 0} failed; ${refused} requests met a killed host.`,
    );
  }

  const starting = setInterval(() => void startOne(), EVERY_MS);
  const telling = setInterval(() => void tell().catch(() => undefined), TELL_EVERY_MS);
  return async () => {
    clearInterval(starting);
    clearInterval(telling);
  };
}
