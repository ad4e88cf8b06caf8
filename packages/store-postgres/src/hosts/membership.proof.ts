import pg from 'pg';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { cuttingProxy } from '../../testing/cutting-proxy.ts';
import { newDatabase, stopServers } from '../../testing/postgres-server.ts';
import { prepareDatabase } from '../open.ts';
import { joinHosts, type Membership } from './membership.ts';

afterAll(stopServers);

async function database(): Promise<string> {
  const url = await newDatabase();
  await prepareDatabase(url);
  return url;
}

async function joined(url: string, name: string, leaseMs = 60_000, tickMs = 20): Promise<Membership> {
  const member = await joinHosts({ url, name, version: '1', leaseMs, tickMs });
  onTestFinished(() => member.leave());
  return member;
}

const namesSeenBy = (member: Membership) =>
  member
    .newest()
    .hosts.map(({ name }) => name)
    .sort();

async function as(url: string, sql: string, ...values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql, [...values]).finally(() => client.end());
}

/** Ends the session of a host, as a crash of its process does. */
const END_SESSION = `
  SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 4747 AND objid = $1`;

it('lets hosts see each other, and leave', async () => {
  const url = await database();
  const one = await joined(url, 'one');
  const other = await joined(url, 'other');
  expect(other.hostNo).toBeGreaterThan(one.hostNo);
  await expect.poll(() => namesSeenBy(one)).toEqual(['one', 'other']);
  const gone = new Promise<boolean>((resolve) => {
    one.onTick(({ isHostGone }) => isHostGone && resolve(true));
  });
  await other.leave();
  expect(await gone).toBe(true);
  expect(namesSeenBy(one)).toEqual(['one']);
});

it('removes a host that is silent for the lease although its session is there, as when its process is paused', async () => {
  const url = await database();
  const paused = new pg.Client({ connectionString: url });
  await paused.connect();
  onTestFinished(() => paused.end());
  const { rows } = await paused.query(
    "INSERT INTO hosts (name, version) VALUES ('paused', '1') RETURNING host_no",
  );
  await paused.query('SELECT pg_advisory_lock(4747, $1)', [rows[0].host_no]);
  const one = await joined(url, 'one', 1500);
  expect(namesSeenBy(one)).toEqual(['one', 'paused']);
  await expect.poll(() => namesSeenBy(one)).toEqual(['one']);
});

const AN_HOUR = 3_600_000;

it('removes a host at the earliest moment, and not only with its next usual tick', async () => {
  const url = await database();
  await as(url, "INSERT INTO hosts (name, version) VALUES ('gone', '1')");
  const one = await joined(url, 'one', 400, AN_HOUR);
  expect(namesSeenBy(one)).toEqual(['gone', 'one']);
  await expect.poll(() => namesSeenBy(one)).toEqual(['one']);
});

it('hears that it was replaced', async () => {
  const url = await database();
  const one = await joined(url, 'one');
  const lost = new Promise<boolean>((resolve) => one.onLost(() => resolve(true)));
  await as(url, 'DELETE FROM hosts WHERE host_no = $1', one.hostNo);
  expect(await lost).toBe(true);
});

it('keeps a host that shows itself within the lease, and one that has lost its session for a moment', async () => {
  const url = await database();
  const one = await joined(url, 'one');
  const other = await joined(url, 'other');
  let isLost = false;
  other.onLost(() => {
    isLost = true;
  });
  await as(url, END_SESSION, other.hostNo);
  let ticks = 0;
  const ticked = new Promise<void>((resolve) => other.onTick(() => ++ticks === 5 && resolve()));
  await ticked;
  expect(isLost).toBe(false);
  expect(namesSeenBy(one)).toEqual(['one', 'other']);
});

it('replaces its connection when that has gone silent, before others replace the host', async () => {
  const proxy = await cuttingProxy(await database());
  const one = await joined(proxy.url, 'one', 3000);
  let isLost = false;
  one.onLost(() => {
    isLost = true;
  });
  proxy.silence();
  // A tick that is under way was answered before.
  let ticks = 0;
  await new Promise<void>((resolve) => one.onTick(() => ++ticks === 3 && resolve()));
  expect(isLost).toBe(false);
  expect(namesSeenBy(one)).toEqual(['one']);
});

it('removes nobody within a lease after its own connection was lost', async () => {
  const url = await database();
  const one = await joined(url, 'one', 2000);
  await as(url, "INSERT INTO hosts (name, version) VALUES ('silent', '1')");
  await expect.poll(() => namesSeenBy(one)).toEqual(['one', 'silent']);
  await as(url, END_SESSION, one.hostNo);
  await as(url, "UPDATE hosts SET seen_at = seen_at - interval '1 minute' WHERE name = 'silent'");
  let ticks = 0;
  await new Promise<void>((resolve) => one.onTick(() => ++ticks === 10 && resolve()));
  expect(namesSeenBy(one)).toEqual(['one', 'silent']);
  // When the lease has passed, the silent host is removed after all.
  await expect.poll(() => namesSeenBy(one)).toEqual(['one']);
});

it('removes nobody within a lease after a start of Postgres', async () => {
  const url = await database();
  await as(url, "INSERT INTO hosts (name, version) VALUES ('silent', '1')");
  await as(url, "UPDATE hosts SET seen_at = seen_at - interval '2 hours'");
  // The server of the tests has not run for so long.
  const one = await joined(url, 'one', 3_600_000);
  let ticks = 0;
  await new Promise<void>((resolve) => one.onTick(() => ++ticks === 5 && resolve()));
  expect(namesSeenBy(one)).toEqual(['one', 'silent']);
});

it('measures the clock of the database, and shows the address and the draining of a host', async () => {
  const url = await database();
  const one = await joined(url, 'one');
  expect(Math.abs(one.newest().clockOffsetMs)).toBeLessThan(5000);
  await one.setUrl('http://one:4747');
  await one.drain();
  await expect
    .poll(() => one.newest().hosts)
    .toMatchObject([{ name: 'one', url: 'http://one:4747', draining: true, version: '1' }]);
});
