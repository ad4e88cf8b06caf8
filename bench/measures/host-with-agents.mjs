import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../client/connection.mjs';
import { expectStatus, runIdIn } from '../client/expect.mjs';
import { withConnections } from '../client/in-flight.mjs';
import { connectionPool } from '../client/open-loop.mjs';
import { createRun, get, post, readMessages } from '../client/requests.mjs';
import { followToEnd, runToEnd } from '../client/run-to-end.mjs';
import { eventsOf } from '../host/disk.mjs';
import { canReadStats, residentMegabytes, secondsUsed, threadSeconds } from '../host/process-stats.mjs';
import { registerAgents, withHost } from '../host/with-host.mjs';
import { amount } from '../report/numbers.mjs';
import { AGENTS, QUICK_AGENT, runOfAgent, TALKING_AGENT } from '../workflows/agents.mjs';
import { NOOP, NOOP_WORKFLOW } from '../workflows/single-node.mjs';
import { timeRequests } from './time-requests.mjs';

const MEMORY_EVERY_MS = 250;

/**
 * Starts a host, agents whose models do not stop to speak, and a reader for each. Meanwhile other requests are
 * timed, and the memory and the processor time of the host are observed.
 */
export async function loadedHost(model, sizes, nodeFlags, progress) {
  if (!canReadStats()) throw new Error('the memory of a process can only be read on Linux');
  const { agentsInFlight: agents, streamSeconds } = sizes;
  const settings = model.hostSettings;
  return withHost([NOOP_WORKFLOW], { nodeFlags, settings }, async ({ port, pid, dataFolder }) => {
    await registerAgents(port, AGENTS);
    const pool = connectionPool(() => openConnection(port));
    await warmUp(port, agents);
    const kinds = await otherRequests(pool);
    const alone = await timeRequests(pool, kinds, streamSeconds / 2);
    progress(`other requests before the agents: ${words(alone)}`);
    const before = residentMegabytes(pid);
    const load = withConnections(port, agents, (connections) =>
      Promise.all(connections.map((connection) => talk(connection))),
    );
    // A failure of the load is thrown below, when it is awaited.
    load.catch(() => undefined);
    await model.untilOpen(agents);
    const tokensBefore = await model.tokens();
    // The models finish when the last request has been sent, so that a host which cannot keep up gets an end.
    const [{ result: answers, samples, cpu, http }] = await Promise.all([
      observed(pid, () => timeRequests(pool, kinds, streamSeconds)),
      sleep(streamSeconds * 1000).then(model.finish),
    ]);
    const tokens = await model.tokens();
    const runIds = await load;
    pool.close();
    report(answers, before, samples, progress);
    progress(
      `HTTP thread: ${amount(http.computed)} s computing, ${amount(http.waited)} s waiting for a processor`,
    );
    return {
      alone,
      answers,
      memory: { before, most: Math.max(...samples) },
      events: eventsOf(dataFolder, runIds),
      tokens,
      cpuPerToken: cpu / (tokens - tokensBefore),
    };
  });
}

async function warmUp(port, agents) {
  await withConnections(port, agents, (connections) =>
    Promise.all(
      connections.map(async (connection) => {
        await runToEnd(connection, post('/v1/runs', runOfAgent(QUICK_AGENT)));
        await runToEnd(connection, createRun(NOOP));
      }),
    ),
  );
}

async function otherRequests(pool) {
  const finished = await pool.use((connection) => runToEnd(connection, createRun(NOOP)));
  return [
    { name: 'GET a finished run', request: () => get(`/v1/runs/${finished}`), status: 200 },
    { name: 'POST a run, durably', request: () => createRun(NOOP), status: 201 },
  ];
}

/** Starts an agent and reads the words of its model until the run has ended. */
async function talk(connection) {
  const create = post('/v1/runs', runOfAgent(TALKING_AGENT));
  const runId = runIdIn(expectStatus(await connection.send(create), 201));
  await followToEnd(connection, runId, readMessages);
  return runId;
}

/**
 * The result of the task and, meanwhile: resident memory of the process in megabytes, its processor time in
 * seconds, and how long its first thread computed and waited for a processor.
 */
async function observed(pid, task) {
  const samples = [residentMegabytes(pid)];
  const [used, first] = [secondsUsed(pid), threadSeconds(pid)];
  const timer = setInterval(() => samples.push(residentMegabytes(pid)), MEMORY_EVERY_MS);
  try {
    const result = await task();
    const { used: computed, waited } = threadSeconds(pid);
    const http = { computed: computed - first.used, waited: waited - first.waited };
    return { result, samples, cpu: secondsUsed(pid) - used, http };
  } finally {
    clearInterval(timer);
  }
}

function report(answers, before, samples, progress) {
  for (const times of answers.byKind) progress(`${times.kind}: ${words(times)}`);
  const third = Math.ceil(samples.length / 3);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  progress(
    `memory: ${amount(before)} MB before, ${amount(mean(samples.slice(0, third)))} MB in the first third of ` +
      `the time, ${amount(mean(samples.slice(-third)))} MB in the last`,
  );
}

export function words({ p50, p99, most }) {
  return `median ${amount(p50)} ms, p99 ${amount(p99)} ms, longest ${amount(most)} ms`;
}
