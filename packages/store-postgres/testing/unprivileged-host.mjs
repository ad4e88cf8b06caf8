import { openPostgresReads, openPostgresStore, prepareDatabase } from '@baton/store-postgres';
import { startOwnServer } from '@baton/store-postgres/own-server';

/** A process of its own that starts a server, commits the groups of slices that it is given, and says what it reads. */

const { binaries, folder, groups, tenant, runIds } = JSON.parse(process.argv[2] ?? '');
const server = await startOwnServer({ binaries, folder });
const url = server.url();
await prepareDatabase(url);
const store = await openPostgresStore(url, 1);
const results = [];
for (const group of groups) results.push(await store.commit(group));
await store.close();
const reads = await openPostgresReads(url, 1);
const logs = [];
for (const runId of runIds) logs.push(await reads.events(tenant, runId, 0, 100));
await reads.close();
await server.stop();
process.stdout.write(JSON.stringify({ user: process.getuid?.(), results, logs }));
