import { openSqliteStore } from '@baton/store-sqlite';
import { changesFor } from './entries.mjs';

/**
 * Writes entries of memory to a data folder through the store, before a host is started with it.
 *
 *   node load-entries.mjs <folder> <entries>
 */

const CHANGES_A_COMMIT = 10_000;

const [, , folder, entries] = process.argv;
const store = openSqliteStore(folder);
let stored = 0;
let batch = [];
for (const change of changesFor(Number(entries), Date.now())) {
  batch.push(change);
  if (batch.length === CHANGES_A_COMMIT) await flush();
}
await flush();
await store.close();
console.log(JSON.stringify({ stored }));

async function flush() {
  if (batch.length === 0) return;
  const [result] = await store.commit([{ rootId: 'bench', runs: [], memory: batch }]);
  if (result !== 'committed') throw new Error(`the store answered ${result}`);
  stored += batch.length;
  batch = [];
}
