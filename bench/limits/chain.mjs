import { extendLink } from '../../packages/engine/dist/audit/sha256.js';
import { captureRows } from './captured-rows.mjs';

/**
 * Measures the time to compute the hash chains of one tree, with events that a host has just written. Runs in
 * a separate process and prints the microseconds of each pass as JSON.
 *
 *   node chain.mjs <captured database> <trees> <passes>
 */

const [, , captured, trees, passes] = process.argv;
const { runs, rootColumn, events } = captureRows(captured, Number(trees));
const roots = new Set(runs.map((run) => run[rootColumn])).size;
const logs = new Map();
for (const [runNo, , text] of events) {
  const log = logs.get(runNo);
  if (log === undefined) logs.set(runNo, [text]);
  else log.push(text);
}

const microseconds = [];
for (let pass = -1; pass < Number(passes); pass += 1) {
  const start = performance.now();
  for (const texts of logs.values()) extendLink('', texts);
  // The first pass is warm-up.
  if (pass >= 0) microseconds.push(((performance.now() - start) * 1000) / roots);
}
console.log(JSON.stringify({ microseconds, events: events.length / roots }));
