import { rmSync } from 'node:fs';
import { startEngine } from '@baton/engine';
import { openSqliteStore } from '@baton/store-sqlite';
import { makeDataFolder } from '../host/data-folder.mjs';

/**
 * Answers to runs that wait for an approval, each in a tree of its own that is not in memory, over a store whose every
 * answer takes some time. Prints the milliseconds for all answers, and the number of commits, as JSON.
 */

const [delay, count] = process.argv.slice(2).map(Number);
const CALLER = { tenant: 'bench', principal: 'bench' };
const WORKFLOW = {
  id: 'asks',
  nodes: [{ id: 'ask', typeId: 'core.approvalGate', config: { title: 'Go on?' } }],
};

const folder = makeDataFolder();
let commits = 0;

function start(store) {
  return startEngine({
    store,
    effects: { perform: async () => ({ kind: 'done', outputs: {} }) },
    onFatal(error) {
      throw error;
    },
  });
}

/** Each call waits before it is carried out. A delay of 0 calls the store directly. `changes` is no call: it listens. */
function slow(store) {
  const { changes } = store;
  const delayed = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      async (...given) => {
        if (name === 'commit') commits += 1;
        if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
        return method(...given);
      },
    ]),
  );
  return { ...delayed, changes };
}

async function waitingRuns() {
  const store = openSqliteStore(folder);
  const engine = await start(store);
  const registered = await engine.execute({
    kind: 'register-workflow',
    caller: CALLER,
    definition: WORKFLOW,
    shared: false,
  });
  if (!registered.ok) throw new Error(registered.error.message);
  const created = Array.from({ length: count }, () =>
    engine.execute({ kind: 'create-run', caller: CALLER, body: { workflowId: 'asks' } }),
  );
  const runIds = (await Promise.all(created)).map(({ value }) => value.runId);
  await engine.stop();
  await store.close();
  return runIds;
}

const runIds = await waitingRuns();
const store = openSqliteStore(folder);
const engine = await start(slow(store));
commits = 0;
const begun = performance.now();
const replies = await Promise.all(
  runIds.map((runId) =>
    engine.execute({
      kind: 'resolve-interrupt',
      caller: CALLER,
      runId,
      target: { nodeId: 'ask' },
      resumeValue: { action: 'accept' },
      viaToken: false,
      scopes: ['*'],
    }),
  ),
);
const ms = performance.now() - begun;
if (!replies.every(({ ok }) => ok)) throw new Error('an answer was refused');
await engine.stop();
await store.close();
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ ms, commits }));
