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

/** The settings of the console, and of the people who sign in to it. */
export interface ConsoleSettings {
  /** Whether the host serves the console. */
  readonly console: boolean;
}

export const CONSOLE_SETTINGS = [
  {
    name: 'BATON_CONSOLE',
    value: 'switch',
    unset: 'on',
    meaning: 'off: the host serves its API only, and no pages for browsers',
  },
] as const;

type ReadSetting = <T>(
  name: (typeof CONSOLE_SETTINGS)[number]['name'],
  parse: (text: string) => Parsed<T>,
  unset: T,
) => T;

export function readConsoleSettings(read: ReadSetting): ConsoleSettings {
  return { console: read('BATON_CONSOLE', parseConsole, true) };
}

function parseConsole(text: string): Parsed<boolean> {
  if (text === 'on' || text === 'off') return { value: text === 'on' };
  return { wrong: `is "${text}"; write off to serve no console, or on` };
}

/** Where and how a host listens. */
export interface ListeningSettings {
  readonly host: string;
  readonly port: number;
  /** The certificate with which the host serves https, and its private key. Without them it serves http. */
  readonly tls: TlsFiles | undefined;
}

interface TlsFiles {
  readonly file: string;
  readonly keyFile: string;
}

export const LISTENING_SETTINGS = [
  { name: 'BATON_HOST', value: 'address', unset: '127.0.0.1', meaning: 'address to listen on' },
  { name: 'BATON_PORT', value: 'number', unset: '4747', meaning: 'port to listen on; 0 picks a free one' },
  {
    name: 'BATON_TLS_CERT',
    value: 'file',
    unset: 'http',
    meaning: 'certificate (PEM) with which the host serves https; read at the start',
  },
  {
    name: 'BATON_TLS_KEY',
    value: 'file',
    unset: 'none',
    meaning: 'private key (PEM) of this certificate, readable by its owner only',
  },
] as const;

/** The host reads the files. */
export function readTls(
  given: (name: 'BATON_TLS_CERT' | 'BATON_TLS_KEY') => string | undefined,
  problems: string[],
): TlsFiles | undefined {
  const [file, keyFile] = [given('BATON_TLS_CERT'), given('BATON_TLS_KEY')];
  if (file !== undefined && keyFile !== undefined) return { file, keyFile };
  if (file !== undefined || keyFile !== undefined) {
    problems.push('BATON_TLS_CERT and BATON_TLS_KEY belong together; set both, or neither');
  }
  return undefined;
}
