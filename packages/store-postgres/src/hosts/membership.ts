import type pg from 'pg';
import { lastingConnection } from './lasting-connection.ts';
import { untilNextLook } from './next-look.ts';

/** A host that shares the database, as its row says. */
export interface HostRow {
  readonly hostNo: number;
  readonly name: string;
  readonly url: string | null;
  readonly version: string;
  readonly draining: boolean;
  readonly startedAt: number;
  /** How long ago the host was seen, by the clock of the database. */
  readonly silentMs: number;
  /** What the host has told about itself, as JSON. */
  readonly facts: string | null;
}

/** What a tick has found. */
export interface Tick {
  readonly hosts: readonly HostRow[];
  /** A host was removed, by this host or by another one, since the last tick. */
  readonly isHostGone: boolean;
  /** The clock of the database minus the clock of this machine, in milliseconds. */
  readonly clockOffsetMs: number;
  /** How much later than planned the tick was. */
  readonly delayMs: number;
}

/** The place of this process among the hosts of a database. */
export interface Membership {
  readonly hostNo: number;
  /** As of the last tick. */
  newest(): Tick;
  onTick(listener: (tick: Tick) => void): void;
  /** Others have taken over, or the row was removed: this process must stop at once. */
  onLost(listener: () => void): void;
  /** Facts about this host that `hosts` shows, as JSON. They are written, and then `newest` is read again. */
  tell(facts: string): Promise<void>;
  setUrl(url: string): Promise<void>;
  /** This host takes no new work. */
  drain(): Promise<void>;
  /** Removes the row, so that others go on with the next tick. */
  leave(): Promise<void>;
}

interface MembershipOptions {
  readonly url: string;
  readonly name: string;
  readonly version: string;
  /** A host that is silent for so long is replaced. */
  readonly leaseMs: number;
  readonly tickMs: number;
}

/** A host whose session has ended is replaced after this time. This is what a crash looks like. */
const CRASHED_AFTER_MS = 500;
/** The class of the advisory locks with which sessions of hosts are known. */
const HOSTS = 4747;
/** The shortest time that Postgres has for the answer to a tick. */
const SHORTEST_WAIT_MS = 1000;

export async function joinHosts(options: MembershipOptions): Promise<Membership> {
  const { leaseMs, tickMs } = options;
  const times = { tickMs, removedAfterMs: [CRASHED_AFTER_MS, leaseMs] };
  const ticked: ((tick: Tick) => void)[] = [];
  const gone: (() => void)[] = [];
  let newest: Tick = { hosts: [], isHostGone: false, clockOffsetMs: 0, delayMs: 0 };
  let facts: string | null = null;
  /** Until then this host removes no other: after a loss of its own connection it cannot know who is silent. */
  let peaceUntil = 0;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let ticking: Promise<void> | undefined;

  const { connection, hostNo } = await hostSession(options, () => {
    peaceUntil = performance.now() + leaseMs;
  });

  async function tick(plannedAt: number): Promise<void> {
    const client = connection.client();
    if (client === undefined) return;
    const began = performance.now();
    const found = await lookInTime(client, { hostNo, facts, leaseMs, buries: began >= peaceUntil });
    if (found === undefined) return lose();
    const { hosts: before } = newest;
    newest = {
      ...found,
      // A host that joined and was removed between two ticks was never seen.
      isHostGone: found.buried > 0 || before.some((host) => !isIn(found.hosts, host)),
      delayMs: Math.max(0, began - plannedAt),
    };
    for (const listener of ticked) listener(newest);
  }

  function lose(): void {
    if (ended) return;
    ended = true;
    for (const listener of gone) listener();
  }

  function schedule(): void {
    if (ended) return;
    const wait = untilNextLook(newest.hosts, hostNo, times);
    const plannedAt = performance.now() + wait;
    timer = setTimeout(() => {
      ticking = tick(plannedAt)
        // A host whose ticks fail is silent, and is replaced.
        .catch(() => undefined)
        .finally(schedule);
    }, wait);
  }

  async function say(sql: string, ...values: readonly string[]): Promise<void> {
    await connection.client()?.query(sql, [hostNo, ...values]);
  }

  await tick(performance.now());
  schedule();

  return {
    hostNo,
    newest: () => newest,
    onTick: (listener) => void ticked.push(listener),
    onLost: (listener) => void gone.push(listener),
    tell(given) {
      facts = given;
      return tick(performance.now());
    },
    setUrl: (address) => say('UPDATE hosts SET url = $2 WHERE host_no = $1', address),
    drain: () => say('UPDATE hosts SET draining = true WHERE host_no = $1'),
    async leave() {
      ended = true;
      clearTimeout(timer);
      await ticking?.catch(() => undefined);
      await say('DELETE FROM hosts WHERE host_no = $1').catch(() => undefined);
      await connection.close();
    },
  };
}

/** Adds the row of this host. While the process runs, its session holds a lock by which others know it. */
async function hostSession({ url, name, version }: MembershipOptions, lost: () => void) {
  let hostNo = 0;
  const connection = await lastingConnection({
    url,
    name: `baton host ${name}`,
    async opened(client) {
      if (hostNo === 0) {
        const { rows } = await client.query<{ hostNo: number }>(JOIN, [name, version]);
        hostNo = rows[0]?.hostNo ?? 0;
      } else await client.query(END_SESSION, [HOSTS, hostNo]);
      await client.query('SELECT pg_advisory_lock($1, $2)', [HOSTS, hostNo]);
    },
    lost,
  });
  return { connection, hostNo };
}

/** A connection that has gone silent is replaced. It would answer nothing until the lease has passed. */
function lookInTime(client: pg.Client, given: Look): ReturnType<typeof look> {
  return answered(look(client, given), Math.max(SHORTEST_WAIT_MS, given.leaseMs / 2)).catch((problem) => {
    client.emit('error', problem as Error);
    throw problem;
  });
}

/** Rejects if the answer takes longer than this. */
async function answered<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Postgres did not answer in time')), withinMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function isIn(hosts: readonly HostRow[], { hostNo }: HostRow): boolean {
  return hosts.some((host) => host.hostNo === hostNo);
}

interface Look {
  readonly hostNo: number;
  readonly facts: string | null;
  readonly leaseMs: number;
  /** Whether hosts that are silent are removed. */
  readonly buries: boolean;
}

/** Shows that this host is at work, and sees which others are. `undefined` if this host was removed. */
async function look(
  client: pg.Client,
  { hostNo, facts, leaseMs, buries }: Look,
): Promise<(Pick<Tick, 'hosts' | 'clockOffsetMs'> & { readonly buried: number }) | undefined> {
  const sentAt = Date.now();
  const [seen, buried, listed] = await Promise.all([
    client.query<{ now: number }>({ name: 'seen', text: SEEN, values: [hostNo, facts] }),
    buries
      ? client.query({ name: 'bury', text: BURY, values: [hostNo, leaseMs, CRASHED_AFTER_MS, HOSTS] })
      : undefined,
    client.query<HostRow>({ name: 'hosts', text: LIST }),
  ]);
  const now = seen.rows[0]?.now;
  if (now === undefined) return undefined;
  return {
    hosts: listed.rows,
    buried: buried?.rowCount ?? 0,
    clockOffsetMs: now - (sentAt + Date.now()) / 2,
  };
}

const JOIN = `
  INSERT INTO hosts (name, version) VALUES ($1, $2) RETURNING host_no AS "hostNo"`;

/** Ends the session before this one. If its connection has gone silent, Postgres does not know that it is over. */
const END_SESSION = `
  SELECT pg_terminate_backend(pid) FROM pg_locks
  WHERE locktype = 'advisory' AND classid = $1::int AND objid = $2::int AND pid <> pg_backend_pid()`;

const SEEN = `
  UPDATE hosts SET seen_at = clock_timestamp(), facts = coalesce($2, facts) WHERE host_no = $1
  RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

/**
 * Removes hosts that are silent for the lease, or for half a second without their session. After a start of Postgres no
 * host has its session yet, so nobody is removed until each had time to come back.
 */
const BURY = `
  DELETE FROM hosts AS other
  WHERE host_no <> $1
    AND clock_timestamp() > pg_postmaster_start_time() + $2::float8 * interval '1 ms'
    AND (seen_at < clock_timestamp() - $2::float8 * interval '1 ms'
      OR (seen_at < clock_timestamp() - $3::float8 * interval '1 ms' AND NOT EXISTS (
        SELECT FROM pg_locks AS session
        WHERE session.locktype = 'advisory' AND session.classid = $4::int AND session.objid = other.host_no::int
          AND session.granted)))`;

const LIST = `
  SELECT host_no AS "hostNo", name, url, version, draining, facts,
    (extract(epoch FROM started_at) * 1000)::float8 AS "startedAt",
    greatest(0, extract(epoch FROM clock_timestamp() - seen_at) * 1000)::float8 AS "silentMs"
  FROM hosts ORDER BY host_no`;
