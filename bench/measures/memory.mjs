import { fileURLToPath } from 'node:url';
import { openConnection } from '../client/connection.mjs';
import { expectStatus } from '../client/expect.mjs';
import { get, post } from '../client/requests.mjs';
import { runToEnd } from '../client/run-to-end.mjs';
import { timedInTurns } from '../client/timed.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { startHost } from '../host/host-process.mjs';
import { runScript } from '../host/run-script.mjs';
import { register } from '../host/with-host.mjs';
import { entryId, LARGEST_SCOPE_ID, topicOf } from '../memory/entries.mjs';
import { amount, spread } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { below } from '../report/targets.mjs';
import { RECALL_KEY, RECALL_TAG, recallWorkflows } from '../workflows/memory.mjs';
import { NOOP, NOOP_WORKFLOW } from '../workflows/single-node.mjs';

const LOAD_ENTRIES = fileURLToPath(new URL('../memory/load-entries.mjs', import.meta.url));
const TIME_READS = fileURLToPath(new URL('../memory/time-reads.mjs', import.meta.url));

/** How many entries a read by tag and a listing return. */
const LIMIT = 20;
/** Consecutive reads skip so many entries, so that they do not read the same page. */
const STRIDE = 37;

/** Reads the memory of a tenant with very many entries. */
export async function memory({ sizes, nodeFlags, progress }) {
  const { memoryEntries, requests } = sizes;
  const dataFolder = makeDataFolder();
  try {
    progress(`a tenant that remembers ${amount(memoryEntries)} entries`);
    await runScript(LOAD_ENTRIES, [dataFolder, memoryEntries]);
    progress('reads through the store alone');
    const alone = await runScript(TIME_READS, [dataFolder, requests, LIMIT]);
    for (const [kind, times] of Object.entries(alone)) progress(`by ${kind}: ${spread(times, 'ms')}`);
    progress('runs of one node that reads, beside runs of one that does nothing');
    const { noop, key, tag, state, emptyState } = await overHttp(dataFolder, nodeFlags, requests);
    progress(`no-op: ${spread(noop, 'ms')}; by key: ${spread(key, 'ms')}; by tag: ${spread(tag, 'ms')}`);
    progress(`state with memory: ${spread(state, 'ms')}; without: ${spread(emptyState, 'ms')}`);
    const slowest = Math.max(...Object.values(alone).map(median));
    return [
      row(`${memoryEntries.toLocaleString('en-US')} entries: a node that reads one`, beyond(key, noop)),
      row(`  one that reads ${LIMIT} by tag`, beyond(tag, noop)),
      row('  memory in the state of a run', beyond(state, emptyState)),
      row('  the store alone, the slowest kind', slowest),
    ];
  } finally {
    removeDataFolder(dataFolder);
  }
}

function row(what, milliseconds) {
  return { what, host: `${amount(milliseconds)} ms`, target: below(5, milliseconds, 'ms') };
}

/** The difference of the medians. A negative difference is noise and becomes 0. */
function beyond(times, others) {
  return Math.max(0, median(times) - median(others));
}

async function overHttp(dataFolder, nodeFlags, requests) {
  const host = await startHost(dataFolder, nodeFlags);
  try {
    await register(host.port, [NOOP_WORKFLOW, ...recallWorkflows(LIMIT)]);
    const connection = await openConnection(host.port);
    const run = (workflowId, asked) => runToEnd(connection, createInScope(workflowId, asked));
    const stateOf = async (runId) => expectStatus(await connection.send(get(`/v1/runs/${runId}/state`)), 200);
    const withMemory = await run(NOOP);
    const without = await runToEnd(connection, post('/v1/runs', { workflowId: NOOP }));
    const [noop, key, tag, state, emptyState] = await timedInTurns(
      [
        () => run(NOOP),
        (round) => run(RECALL_KEY, entryId(round * STRIDE)),
        (round) => run(RECALL_TAG, topicOf(round)),
        () => stateOf(withMemory),
        () => stateOf(without),
      ],
      requests,
    );
    connection.close();
    return { noop, key, tag, state, emptyState };
  } finally {
    await host.stop();
  }
}

function createInScope(workflowId, asked) {
  return post('/v1/runs', { workflowId, scopeId: LARGEST_SCOPE_ID, ...(asked && { inputs: { asked } }) });
}
