import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { type Binaries, binariesFrom, PLATFORM_PACKAGE } from '../src/server/binaries.ts';
import { type OwnServer, startOwnServer } from '../src/server/own-server.ts';

/** Postgres servers for tests. Each test process has at most one of each version, which ends with it. */

const INSTALLED = fileURLToPath(new URL('../../../tools/postgres/package.json', import.meta.url));

export type ServerVersion = 15 | 18;

export function binariesOf(version: ServerVersion): Binaries {
  const name = version === 18 ? PLATFORM_PACKAGE : `postgres-15-${process.platform}-${process.arch}`;
  const found = binariesFrom(INSTALLED, name);
  if (found === undefined) throw new Error('Postgres is not installed: run the tests with "npm test"');
  return found;
}

const started = new Map<ServerVersion, Promise<OwnServer>>();

function serverOf(version: ServerVersion = 18): Promise<OwnServer> {
  const known = started.get(version);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), `baton-postgres-${version}-`));
  const server = startOwnServer({ binaries: binariesOf(version), folder });
  started.set(version, server);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return server;
}

/** A new, empty database, removed after the test. */
export async function newDatabase(version: ServerVersion = 18): Promise<string> {
  const server = await serverOf(version);
  const name = `t${randomUUID().replaceAll('-', '')}`;
  await asOperator(server, `CREATE DATABASE ${name}`);
  onTestFinished(() => asOperator(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return server.url(name);
}

async function asOperator(server: OwnServer, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const free = new Map<ServerVersion, string[]>();

/**
 * An empty database of the newest schema. Databases are used again after their rows were removed, because to create
 * one takes longer than most tests.
 */
export async function emptyDatabase(
  version: ServerVersion,
  prepare: (url: string) => Promise<void>,
): Promise<{ readonly url: string; giveBack(): Promise<void> }> {
  const url = free.get(version)?.pop() ?? (await prepared(version, prepare));
  return {
    url,
    async giveBack() {
      await removeRows(url);
      free.set(version, [...(free.get(version) ?? []), url]);
    },
  };
}

async function prepared(version: ServerVersion, prepare: (url: string) => Promise<void>): Promise<string> {
  const server = await serverOf(version);
  const name = `c${randomUUID().replaceAll('-', '')}`;
  await asOperator(server, `CREATE DATABASE ${name}`);
  await prepare(server.url(name));
  return server.url(name);
}

/** Without triggers, because some of them refuse it. */
async function removeRows(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT quote_ident(relname) AS name FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
         AND relname NOT IN ('baton_schema', 'host', 'audit_progress')`,
    );
    const removals = rows.map(({ name }) => `DELETE FROM ${name};`).join('');
    await client.query(
      `BEGIN; SET LOCAL session_replication_role = replica; ${removals} DELETE FROM audit_progress; COMMIT`,
    );
  } finally {
    await client.end();
  }
}

/** After the last test of a file. */
export async function stopServers(): Promise<void> {
  for (const server of started.values()) await (await server).stop();
  started.clear();
  free.clear();
}
