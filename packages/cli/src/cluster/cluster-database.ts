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
