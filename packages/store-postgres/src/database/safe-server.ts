import pg from 'pg';
import { CONNECTION_SETTINGS } from './connections.ts';
import { storeFailure } from './faults.ts';

/** The versions of Postgres with which Baton is tested. */
const OLDEST_SERVER = 15;

/** A setting without which Postgres may lose commits that it has confirmed. */
const NEEDED = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;

interface ServerFacts {
  readonly version: number;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly full_page_writes: string;
  readonly replica: boolean;
}

/** Refuses a server that could lose what it has confirmed, or that a host cannot work with. */
export async function requireSafeServer(url: string): Promise<void> {
  const client = new pg.Client({ ...CONNECTION_SETTINGS, pipeline: false, connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<ServerFacts>(FACTS);
    const problem = rows[0] && problemOf(rows[0]);
    if (problem !== undefined) throw new Error(problem);
    if (!(await hasWholeSession(client, url))) throw new Error(POOLER);
  } catch (error) {
    throw refusesSettings(error) ? new Error(KEEPS_NO_SETTINGS, { cause: error }) : storeFailure(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function problemOf(facts: ServerFacts): string | undefined {
  if (facts.version < OLDEST_SERVER) {
    return `this is Postgres ${facts.version}, and Baton needs Postgres ${OLDEST_SERVER} or later`;
  }
  const off = NEEDED.find((name) => facts[name] === 'off');
  if (off !== undefined) {
    return (
      `Postgres runs with "${off} = off", so a crash could lose runs that callers were told about: ` +
      `set "${off} = on" and restart Postgres`
    );
  }
  if (facts.replica)
    return 'this Postgres is a replica, which cannot be written: name the primary in BATON_DATABASE_URL';
  return undefined;
}

const POOLER =
  'the database is behind a pooler in transaction mode, which breaks locks and notifications: ' +
  'name Postgres itself in BATON_DATABASE_URL, or a pooler in session mode';

/** Poolers refuse the settings of a connection that they would have to keep for it. */
function refusesSettings(error: unknown): boolean {
  return error instanceof Error && error.message.includes('unsupported startup parameter');
}

const KEEPS_NO_SETTINGS =
  'the database is behind a pooler that keeps no settings of a connection: ' +
  'name Postgres itself in BATON_DATABASE_URL';

const FACTS = `
  SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('fsync') AS fsync,
    current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('full_page_writes') AS full_page_writes, pg_is_in_recovery() AS replica`;

/** Notifications come with the commit that sends them. */
const HEARD_WITHIN_MS = 3000;

/** The class of the locks that are taken for the check. Each session takes another one. */
const CHECKED = 4748;

/**
 * Locks and notifications belong to a session. A pooler in transaction mode gives a connection a session for the length
 * of a transaction, so the next one may find the lock of another connection, and nobody hears notifications in between.
 * A pooler without other work would give back the same session each time. Therefore a second connection is within a
 * transaction meanwhile, and has that session if it is free.
 */
async function hasWholeSession(client: pg.Client, url: string): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>(
    'SELECT pg_backend_pid() AS pid, pg_advisory_lock($1, pg_backend_pid())',
    [CHECKED],
  );
  const pid = rows[0]?.pid ?? 0;
  const channel = `baton_check_${pid}`;
  await client.query(`LISTEN ${channel}`);
  const heard = hears(client, channel);
  const other = new pg.Client({ ...CONNECTION_SETTINGS, pipeline: false, connectionString: url });
  other.on('error', () => undefined);
  try {
    await other.connect();
    await other.query('BEGIN');
    const { rows: others } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const { rows: held } = await client.query<{ held: boolean }>(HELD, [CHECKED, pid]);
    await other.query('SELECT pg_notify($1, $2)', [channel, '']);
    await other.query('COMMIT');
    if (others[0]?.pid === pid || held[0]?.held !== true) return false;
    return await heard.within(HEARD_WITHIN_MS);
  } finally {
    heard.stop();
    await other.end().catch(() => undefined);
    await client.query('SELECT pg_advisory_unlock($1, $2)', [CHECKED, pid]).catch(() => undefined);
  }
}

function hears(client: pg.Client, channel: string) {
  let timer: NodeJS.Timeout | undefined;
  let settle: (isHeard: boolean) => void = () => undefined;
  const settled = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  const listen = (notice: pg.Notification) => {
    if (notice.channel === channel) settle(true);
  };
  client.on('notification', listen);
  return {
    within(ms: number): Promise<boolean> {
      timer = setTimeout(() => settle(false), ms);
      return settled;
    },
    stop(): void {
      clearTimeout(timer);
      client.off('notification', listen);
    },
  };
}

const HELD = `
  SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::int AND objid = $2::int
    AND pid = pg_backend_pid() AND pid = $2::int) AS held`;
