import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus, runIdIn } from '../client/expect.mjs';
import { repeatOver, withConnections } from '../client/in-flight.mjs';
import { createRun, get, readLog } from '../client/requests.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { secondsUsed } from '../host/process-stats.mjs';
import { startSlowModel } from '../models/slow-model.mjs';
import { load } from '../report/machine.mjs';
import { amount } from '../report/numbers.mjs';
import { below, noTarget } from '../report/targets.mjs';
import { ASKS, ASKS_WORKFLOW } from '../workflows/cluster.mjs';
import { withHosts } from './with-hosts.mjs';

const NAMES = ['a', 'b', 'c'];
/** The default of BATON_LEASE. */
const LEASE_MS = 5000;
const PATIENCE_MS = 120_000;
const CONNECTIONS = 16;

/**
 * Trees that wait for a model while one of their three hosts is killed and another one hangs. `more` are further
 * settings of a host.
 */
export async function takeover({ sizes, nodeFlags, progress }, more = () => ({})) {
  const trees = sizes.askingTrees;
  const model = await startSlowModel();
  const folder = makeDataFolder();
  const settingsOf = (index) => ({ ...askingHost(folder, NAMES[index], model), ...more(index) });
  try {
    return await withHosts(3, [ASKS_WORKFLOW], { nodeFlags, settingsOf }, async ([killed, hung, left]) => {
      progress(`${trees} trees on three hosts, each waiting for a model${load()}`);
      const runIds = await startTrees([killed, hung, left], trees);
      await until(() => model.calls.length >= trees, 'every tree has asked its model');
      const others = [hung.pid, left.pid];
      const afterKill = await repeatedAfter(model, 'a', others, () => killed.signal('SIGKILL'));
      progress(`killed: ${told(afterKill)}`);
      const afterStop = await repeatedAfter(model, 'b', [left.pid], () => hung.signal('SIGSTOP'));
      progress(`stopped: ${told(afterStop)}`);
      const woken = performance.now();
      hung.signal('SIGCONT');
      const { code } = await hung.ended;
      const gone = performance.now() - woken;
      progress(`the host that hung ended with code ${code} after ${amount(gone)} ms${load()}`);
      const { lost, twice } = await outcomes(left.port, runIds);
      const inFlight = afterKill.calls + afterStop.calls;
      const repeated = model.calls.length - trees;
      progress(
        `${lost} runs lost, ${twice} outcomes twice, ${repeated} calls repeated, ${inFlight} in flight`,
      );
      return rows({ trees, afterKill, afterStop, gone, lost, twice, repeated, inFlight });
    });
  } finally {
    model.close();
    removeDataFolder(folder);
  }
}

/** Each host has a file of its own, so that the model can tell hosts apart. */
export function askingHost(folder, name, model) {
  const file = join(folder, `${name}.json`);
  const slow = { kind: 'openai-compatible', baseURL: model.baseURL(name), concurrency: 2000 };
  writeFileSync(file, JSON.stringify({ providers: { slow }, classes: { general: 'slow/slow' } }));
  return { BATON_MODELS: file, BATON_MAX_EFFECTS: '2000' };
}

async function startTrees(hosts, trees) {
  const runIds = [];
  let next = 0;
  await Promise.all(
    hosts.map(({ port }, index) => {
      const share = Math.floor(trees / hosts.length) + (index < trees % hosts.length ? 1 : 0);
      return withConnections(port, CONNECTIONS, (connections) =>
        repeatOver(connections, share, async (connection) => {
          next += 1;
          const create = createRun(ASKS, { question: `tree ${next}` });
          runIds.push(runIdIn(expectStatus(await connection.send(create), 201)));
        }),
      );
    }),
  );
  return runIds;
}

/** Ends a host and waits until other hosts have asked again what it was waiting for. Times are those since then. */
async function repeatedAfter(model, name, others, strike) {
  const used = () => others.reduce((sum, pid) => sum + secondsUsed(pid), 0);
  const open = new Set(model.waitingFor(name).map(({ question }) => question));
  const from = model.calls.length;
  const [before, start] = [used(), performance.now()];
  strike();
  const again = () =>
    model.calls.slice(from).filter(({ host, question }) => host !== name && open.has(question));
  await until(
    () => new Set(again().map(({ question }) => question)).size === open.size,
    'all were asked again',
  );
  const times = [
    ...new Map(
      again()
        .reverse()
        .map(({ question, at }) => [question, at - start]),
    ).values(),
  ];
  const cpu = ((used() - before) * 1000) / open.size;
  return { calls: open.size, first: Math.min(...times), last: Math.max(...times), cpu };
}

function told({ calls, first, last, cpu }) {
  return (
    `${calls} calls in flight; the first begins again after ${amount(first)} ms, the last after ${amount(last)} ms; ` +
    `processor time of the others meanwhile ${amount(cpu)} ms a call${load()}`
  );
}

/** Waits for the end of all runs, and counts those that do not end and the outcomes that were recorded again. */
async function outcomes(port, runIds) {
  return withConnections(port, CONNECTIONS, async (connections) => {
    const open = new Set(runIds);
    const end = performance.now() + PATIENCE_MS;
    while (open.size > 0 && performance.now() < end) {
      await forEach(connections, [...open], async (connection, runId) => {
        const answer = expectStatus(await connection.send(get(`/v1/runs/${runId}`)), 200);
        if (JSON.parse(answer.toString()).status === 'completed') open.delete(runId);
      });
      await sleep(500);
    }
    let twice = 0;
    await forEach(connections, runIds, async (connection, runId) => {
      const log = JSON.parse(expectStatus(await connection.send(readLog(runId)), 200).toString());
      const keys = log.events
        .filter(({ type }) => type === 'baton.effect.settled')
        .map(({ payload }) => payload.key);
      twice += keys.length - new Set(keys).size;
    });
    return { lost: open.size, twice };
  });
}

async function forEach(connections, values, task) {
  const left = [...values];
  await Promise.all(
    connections.map(async (connection) => {
      for (let value = left.pop(); value !== undefined; value = left.pop()) await task(connection, value);
    }),
  );
}

async function until(isReached, what) {
  const end = performance.now() + PATIENCE_MS;
  while (!isReached()) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
    await sleep(20);
  }
}

function rows({ trees, afterKill, afterStop, gone, lost, twice, repeated, inFlight }) {
  const seconds = (ms) => `${amount(ms / 1000)} s`;
  return [
    {
      what: `A host of three killed, ${trees.toLocaleString('en-US')} trees: its last call begins elsewhere`,
      host: seconds(afterKill.last),
      limit: `the first ${seconds(afterKill.first)}`,
      target: below(1, afterKill.last / 1000, 's'),
    },
    {
      what: '  a second one hangs: its last call begins elsewhere',
      host: seconds(afterStop.last),
      limit: `the first ${seconds(afterStop.first)}`,
      target: below(LEASE_MS / 1000 + 1, afterStop.last / 1000, 's'),
    },
    { what: '  it wakes up: its end', host: seconds(gone), target: below(1, gone / 1000, 's') },
    { what: '  runs lost', host: String(lost), target: none(lost) },
    { what: '  outcomes recorded twice', host: String(twice), target: none(twice) },
    {
      what: '  calls made again',
      host: amount(repeated),
      limit: `in flight ${amount(inFlight)}`,
      target: noTarget(),
    },
  ];
}

function none(count) {
  return { text: '0', outcome: '', met: count === 0 };
}
