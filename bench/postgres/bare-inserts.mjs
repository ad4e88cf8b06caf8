import { createRequire } from 'node:module';

/**
 * The limit of the database: rows of events that a host wrote are inserted into a table with the same columns and
 * key, 100 in a transaction, over one connection. The next transactions are sent before the last one is answered.
 * Prints the rows a second of each pass as JSON.
 *
 *   node bare-inserts.mjs <address of the host's database> <workflow> <rows> <passes>
 */

const ROWS_PER_TRANSACTION = 100;
/** More of them on the way make it no faster. */
const UNANSWERED = 16;

const INSERT = `
  INSERT INTO bare (run_no, seq, place, step_rest, starts, data)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::boolean[], $6::text[])`;

const require = createRequire(new URL('../../packages/store-postgres/package.json', import.meta.url));
const pg = require('pg');

const [, , url, workflow, wanted, passes] = process.argv;
const client = new pg.Client({ connectionString: url, pipeline: true });
await client.connect();

const OF_WORKFLOW = `root_no IN (SELECT run_no FROM runs WHERE parent_no IS NULL AND workflow_id = $1)`;
const { rows } = await client.query(
  `SELECT run_no, seq, place, step_rest, starts, data FROM events JOIN runs USING (run_no)
   WHERE ${OF_WORKFLOW} ORDER BY run_no DESC, seq LIMIT $2`,
  [workflow, Number(wanted)],
);
const counted = await client.query(
  `SELECT (count(*) + sum(head)) / count(*) FILTER (WHERE parent_no IS NULL) AS rows_per_tree
   FROM runs WHERE ${OF_WORKFLOW}`,
  [workflow],
);
const batches = [];
for (let at = 0; at < rows.length; at += ROWS_PER_TRANSACTION)
  batches.push(columnsOf(rows.slice(at, at + ROWS_PER_TRANSACTION)));

const rates = [];
// The first pass is warm-up.
await timed();
while (rates.length < Number(passes)) rates.push(await timed());
await client.query('DROP TABLE bare');
await client.end();
console.log(JSON.stringify({ rates, rowsPerTree: Number(counted.rows[0].rows_per_tree) }));

async function timed() {
  await client.query('DROP TABLE IF EXISTS bare');
  await client.query('CREATE TABLE bare (LIKE events INCLUDING INDEXES)');
  const start = performance.now();
  let next = 0;
  const keepGoing = async () => {
    while (next < batches.length) {
      const values = batches[next];
      next += 1;
      await client.query({ name: 'insert', text: INSERT, values });
    }
  };
  await Promise.all(Array.from({ length: UNANSWERED }, keepGoing));
  return rows.length / ((performance.now() - start) / 1000);
}

function columnsOf(some) {
  return ['run_no', 'seq', 'place', 'step_rest', 'starts', 'data'].map((name) =>
    some.map((row) => row[name]),
  );
}
