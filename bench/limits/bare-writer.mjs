import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { captureRows, groupByTrees } from './captured-rows.mjs';

/**
 * The limit of the disk: SQLite alone appends rows that a host wrote, to the same tables and indexes and with
 * the same durability. Runs in a separate process and prints its rates as JSON.
 *
 *   node bare-writer.mjs <captured database> <folder to write in> <trees> <passes>
 */

/** A transaction holds about a hundred rows, or a hundred whole trees. */
const SMALL_BATCH_ROWS = 100;
const LARGE_BATCH_TREES = 100;
/** One statement for many rows is the fastest way to insert. The host does the same. */
const EVENTS_PER_STATEMENT = 16;
const ONE_BY_ONE_ROWS = 2000;

const [, , captured, folder, trees, passes] = process.argv;
const rows = captureRows(captured, Number(trees));
const total = rows.runs.length + rows.events.length;
// A slow host has written fewer trees than requested.
const rowsPerTree = total / new Set(rows.runs.map((run) => run[rows.rootColumn])).size;
const small = groupByTrees(rows, Math.max(1, Math.round(SMALL_BATCH_ROWS / rowsPerTree)));
const large = groupByTrees(rows, LARGE_BATCH_TREES);
const single = rows.events.slice(0, ONE_BY_ONE_ROWS).map((event) => ({ runs: [], events: [event] }));

const rates = { small: [], large: [], oneByOne: timed(single) };
for (let pass = 0; pass < Number(passes); pass += 1) {
  rates.small.push(timed(small));
  rates.large.push(timed(large));
}
console.log(JSON.stringify({ ...rates, rowsPerTree }));

/** Rows a second with a new database and a transaction for each group. */
function timed(groups) {
  const file = join(folder, 'bare.db');
  for (const old of [file, `${file}-wal`, `${file}-shm`]) rmSync(old, { force: true });
  const database = openLike(file, rows);
  const write = createWriter(database, rows.runs[0].length);
  const count = groups.reduce((sum, group) => sum + group.runs.length + group.events.length, 0);
  const start = performance.now();
  for (const group of groups) write(group);
  const seconds = (performance.now() - start) / 1000;
  database.close();
  return count / seconds;
}

function openLike(file, { schema, pageSize }) {
  const database = new Database(file);
  database.pragma(`page_size = ${pageSize}`);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(schema.join(';\n'));
  return database;
}

function createWriter(database, runColumns) {
  const run = database.prepare(`INSERT INTO runs VALUES (${new Array(runColumns).fill('?').join(', ')})`);
  const one = database.prepare(insertEvents(1));
  const many = database.prepare(insertEvents(EVENTS_PER_STATEMENT));
  const writeGroup = database.transaction(({ runs, events }) => {
    for (const row of runs) run.run(row);
    let at = 0;
    for (; at + EVENTS_PER_STATEMENT <= events.length; at += EVENTS_PER_STATEMENT) {
      many.run(events.slice(at, at + EVENTS_PER_STATEMENT).flat());
    }
    for (; at < events.length; at += 1) one.run(events[at]);
  });
  return (group) => writeGroup.immediate(group);
}

function insertEvents(count) {
  return `INSERT INTO events (run_no, seq, data, starts) VALUES ${new Array(count).fill('(?, ?, ?, ?)').join(', ')}`;
}
