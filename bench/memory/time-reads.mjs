import { openSqliteReads } from '@baton/store-sqlite';
import { entryId, LARGEST_SCOPE, TENANT, topicOf, word } from './entries.mjs';

/**
 * Times reads of the largest memory scope through the store alone, in-process, without runs and HTTP. Prints
 * the milliseconds of each read as JSON.
 *
 *   node time-reads.mjs <folder> <reads of each kind> <entries of a tag or a listing>
 */

const [, , folder, times, limit] = process.argv;
const reads = openSqliteReads(folder);
const { version } = await reads.scope(TENANT, LARGEST_SCOPE);
const base = {
  tenant: TENANT,
  view: [{ scope: LARGEST_SCOPE, version }],
  now: Date.now(),
  limit: Number(limit),
};
/** The memory scope before the last tenth of its versions. */
const earlier = { ...base, view: [{ scope: LARGEST_SCOPE, version: Math.floor(version * 0.9) }] };

/** Consecutive reads skip so many entries, so that they do not read the same page. */
const STRIDE = 37;

/** Queries, and how many entries each must find. */
const MANY = Number(limit);
const KINDS = {
  key: [(at) => ({ ...base, id: entryId(at * STRIDE) }), 1],
  tag: [(at) => ({ ...base, tag: topicOf(at) }), MANY],
  age: [() => base, MANY],
  'rare words': [(at) => ({ ...base, text: `note ${at * STRIDE}` }), 1],
  'common words': [() => ({ ...base, text: `${word(10)} ${word(11)}` }), MANY],
  'key, earlier': [(at) => ({ ...earlier, id: entryId(at * STRIDE) }), 1],
  'tag, earlier': [(at) => ({ ...earlier, tag: topicOf(at) }), MANY],
};

const found = {};
for (const [kind, [queryAt, expected]] of Object.entries(KINDS)) {
  found[kind] = [];
  for (let at = 0; at < Number(times); at += 1) found[kind].push(await milliseconds(queryAt(at), expected));
}
await reads.close();
console.log(JSON.stringify(found));

async function milliseconds(query, expected) {
  const start = performance.now();
  const rows = await reads.memory(query);
  const took = performance.now() - start;
  if (rows.length !== expected) throw new Error(`found ${rows.length} entries instead of ${expected}`);
  return took;
}
