import { openSqliteReads } from '@baton/store-sqlite';
import { entryId, LARGEST_SCOPE, TENANT, topicOf } from './entries.mjs';

/**
 * Times reads of the largest scope through the store alone, in-process: no run, no HTTP. Says the milliseconds
 * of each as JSON.
 *
 *   node time-reads.mjs <folder> <reads of each kind> <entries of a tag or a listing>
 */

const [, , folder, times, limit] = process.argv;
const reads = openSqliteReads(folder);
const { version } = reads.scope(TENANT, LARGEST_SCOPE);
const base = {
  tenant: TENANT,
  view: [{ scope: LARGEST_SCOPE, version }],
  now: Date.now(),
  limit: Number(limit),
};
/** As somebody saw it who started before the last tenth of the versions. */
const earlier = { ...base, view: [{ scope: LARGEST_SCOPE, version: Math.floor(version * 0.9) }] };

const KINDS = {
  key: (at) => ({ ...base, id: entryId(at * 37) }),
  tag: (at) => ({ ...base, tag: topicOf(at) }),
  newest: () => base,
  'an earlier key': (at) => ({ ...earlier, id: entryId(at * 37) }),
  'an earlier tag': (at) => ({ ...earlier, tag: topicOf(at) }),
};

const found = {};
for (const [kind, query] of Object.entries(KINDS)) {
  found[kind] = Array.from({ length: Number(times) }, (_, at) => milliseconds(query(at)));
}
reads.close();
console.log(JSON.stringify(found));

function milliseconds(query) {
  const start = performance.now();
  const rows = reads.memory(query);
  const took = performance.now() - start;
  if (rows.length !== (query.id === undefined ? query.limit : 1))
    throw new Error(`${rows.length} entries found`);
  return took;
}
