import pg from 'pg';
import { CONNECTION_SETTINGS } from './connections.ts';
import { storeFailure } from './faults.ts';
import { hasWholeSession } from './whole-session.ts';

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
