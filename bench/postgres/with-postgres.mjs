import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { binariesFrom, startOwnServer } from '../../packages/store-postgres/dist/server/own-server.js';
import { installPostgresWhenNeeded, POSTGRES_FROM } from '../../scripts/postgres-servers.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { secondsUsed } from '../host/process-stats.mjs';

// The client is a dependency of the store, so it is resolved from there.
const require = createRequire(new URL('../../packages/store-postgres/package.json', import.meta.url));
const pg = require('pg');

/** Runs `use` with a Postgres server that has its default settings, so that a commit waits for the disk. */
export async function withPostgres(use) {
  await installPostgresWhenNeeded();
  const binaries = binariesFrom(POSTGRES_FROM);
  if (binaries === undefined) throw new Error('there is no Postgres for this platform in tools/postgres');
  const folder = makeDataFolder();
  // Postgres runs as another user if this process is root.
  chmodSync(folder, 0o755);
  const server = await startOwnServer({ binaries, folder: join(folder, 'postgres') });
  const client = new pg.Client({ connectionString: server.url(), application_name: 'bench' });
  await client.connect();
  try {
    return await use(observable(server, client));
  } finally {
    await client.end();
    await server.stop();
    removeDataFolder(folder);
  }
}

function observable(server, client) {
  let databases = 0;
  const one = async (sql) => Object.values((await client.query(sql)).rows[0])[0];
  return {
    /** The address of a new database. */
    async newDatabase() {
      databases += 1;
      await client.query(`CREATE DATABASE bench_${databases}`);
      return server.url(`bench_${databases}`);
    },
    /** Processor time of all processes of the server, in seconds. Those that have ended are not counted. */
    processorSeconds: () => serverProcesses(server.pid()).reduce((sum, pid) => sum + usedBy(pid), 0),
    /** Transactions in all databases. Postgres counts them up to a second late. */
    transactions: async () =>
      Number(await one('SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database')),
    /** Bytes of the write-ahead log. */
    logBytes: async () => Number(await one("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")),
    /** Connections of hosts. */
    connections: async () =>
      Number(
        await one(
          "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        ),
      ),
  };
}

/** The first process of the server and its children: one for each connection, and those that write. */
function serverProcesses(first) {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === first);
  return [first, ...children.map(Number)];
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in parentheses and may hold spaces.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function usedBy(pid) {
  try {
    return secondsUsed(pid);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
