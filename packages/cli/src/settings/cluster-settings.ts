import type { Parsed } from './setting-values.ts';

/** The settings of hosts that share a Postgres database. */
export interface ClusterSettings {
  /** Without it, SQLite in the data folder. */
  readonly databaseUrl: string | undefined;
  /** Without it, the server has its own. */
  readonly leaseMs: number | undefined;
  readonly drainMs: number;
}

export const CLUSTER_SETTINGS = [
  {
    name: 'BATON_DATABASE_URL',
    value: 'url',
    unset: 'SQLite in BATON_DATA',
    meaning: 'Postgres database that holds everything stored, shared by any number of hosts: postgres://…',
  },
  {
    name: 'BATON_LEASE',
    value: 'seconds',
    unset: '5',
    meaning: 'with BATON_DATABASE_URL: a host that is silent for so long is replaced by the others',
  },
  {
    name: 'BATON_DRAIN',
    value: 'seconds',
    unset: '30',
    meaning: 'with BATON_DATABASE_URL: how long a host that stops waits for the calls that it has begun',
  },
] as const;

type Read = <T>(
  name: (typeof CLUSTER_SETTINGS)[number]['name'],
  parse: (text: string) => Parsed<T>,
  unset: T,
) => T;

export function readClusterSettings(read: Read): ClusterSettings {
  return {
    databaseUrl: read<string | undefined>('BATON_DATABASE_URL', parseDatabaseUrl, undefined),
    leaseMs: read<number | undefined>('BATON_LEASE', secondsBetween(1, 3600), undefined),
    drainMs: read('BATON_DRAIN', secondsBetween(0, 3600), 30_000),
  };
}

function parseDatabaseUrl(text: string): Parsed<string> {
  const isPostgres = URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
  return isPostgres
    ? { value: text }
    : {
        wrong:
          'must be the address of a Postgres database, such as postgres://user:password@db.example:5432/baton',
      };
}

function secondsBetween(least: number, most: number): (text: string) => Parsed<number> {
  return (text) => {
    const seconds = Number(text);
    const fits = text.trim() !== '' && Number.isFinite(seconds) && seconds >= least && seconds <= most;
    return fits
      ? { value: Math.round(seconds * 1000) }
      : { wrong: `must be a number of seconds from ${least} to ${most}, not "${text}"` };
  };
}
