import { join, resolve } from 'node:path';
import type { OwnServer } from '@baton/server/own-postgres';
import { CommandFailure } from '../output/command-failure.ts';

/** The database of a cluster on this machine. */
interface ClusterDatabase {
  readonly url: string;
  /** Where it is, for people. */
  readonly place: string;
  /** The address of a Postgres of our own, for commands that work on stored data. */
  readonly ownUrl?: string;
  stop(): Promise<void>;
}

interface DatabaseOptions {
  /** The database that the operator names. Absent: a Postgres of our own. */
  readonly given: string | undefined;
  /** The folder of the files of our own Postgres. */
  readonly folder: string;
  /** A file of the program that has installed the package with Postgres. */
  readonly installedBy: string | undefined;
}

export async function openDatabase({
  given,
  folder,
  installedBy,
}: DatabaseOptions): Promise<ClusterDatabase> {
  if (given !== undefined) {
    return { url: given, place: 'the database in BATON_DATABASE_URL', stop: async () => undefined };
  }
  const { binariesFrom, PLATFORM_PACKAGE, startOwnServer } = await import('@baton/server/own-postgres');
  const binaries = binariesFrom(installedBy ?? join(process.cwd(), 'package.json'));
  if (binaries === undefined) {
    throw new CommandFailure('There is no Postgres for the cluster.', {
      hint: `Install one with "npm install ${PLATFORM_PACKAGE}", or name yours in BATON_DATABASE_URL.`,
    });
  }
  const place = resolve(folder);
  const server: OwnServer = await startOwnServer({ binaries, folder: place });
  const url = server.url();
  return { url, ownUrl: url, place, stop: () => server.stop() };
}

/** The Restate of a cluster on this machine, which chooses the hosts that perform effects. */
interface ClusterRestate {
  /** The settings of the host on this port. */
  env(port: number): Readonly<Record<string, string>>;
  /** The address of its console. */
  readonly consoleUrl: string | undefined;
  stop(): Promise<void>;
}

interface RestateOptions {
  readonly wanted: boolean;
  /** The folder of the cluster. */
  readonly folder: string;
  /** A file of the program that has installed the package with Restate. */
  readonly installedBy: string | undefined;
  /** The ports of the hosts that are running. */
  readonly ports: () => readonly number[];
  /** Told when Restate ends by itself. */
  readonly onEnded: () => void;
}

/** A host takes the calls of Restate at a port so far above its own. */
const ABOVE = 1000;

const NONE: ClusterRestate = { env: () => ({}), consoleUrl: undefined, stop: async () => undefined };

export async function openRestate(options: RestateOptions): Promise<ClusterRestate> {
  if (!options.wanted) return NONE;
  const { RESTATE_PACKAGE, restateFrom, startBalancer, startOwnRestate } = await import(
    '@baton/server/own-restate'
  );
  const program = restateFrom(options.installedBy ?? join(process.cwd(), 'package.json'));
  if (program === undefined) {
    throw new CommandFailure('There is no Restate for the cluster.', {
      hint: `Install it with "npm install ${RESTATE_PACKAGE}", or leave --restate out.`,
    });
  }
  const restate = await startOwnRestate({ program, folder: resolve(options.folder, 'restate') });
  let isStopping = false;
  void restate.ended.then(() => {
    if (!isStopping) options.onEnded();
  });
  const balancer = await startBalancer(() => options.ports().map((port) => port + ABOVE));
  return {
    env: (port) => ({
      BATON_RESTATE_URL: restate.url,
      BATON_RESTATE_ADMIN: restate.adminUrl,
      BATON_RESTATE_ENDPOINT: balancer.url,
      BATON_RESTATE_LISTEN: `127.0.0.1:${port + ABOVE}`,
    }),
    consoleUrl: `${restate.adminUrl}/ui/`,
    async stop() {
      isStopping = true;
      await balancer.stop();
      await restate.stop();
    },
  };
}
