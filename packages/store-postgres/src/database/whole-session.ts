import pg from 'pg';
import { CONNECTION_SETTINGS } from './connections.ts';

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
export async function hasWholeSession(client: pg.Client, url: string): Promise<boolean> {
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
