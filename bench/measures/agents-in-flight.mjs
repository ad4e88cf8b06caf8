import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openConnection } from '../client/connection.mjs';
import { expectStatus, runIdIn } from '../client/expect.mjs';
import { withConnections } from '../client/in-flight.mjs';
import { connectionPool } from '../client/open-loop.mjs';
import { createRun, get, post, readMessages } from '../client/requests.mjs';
import { followToEnd, runToEnd } from '../client/run-to-end.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { eventsOf } from '../host/disk.mjs';
import { canReadStats, residentMegabytes } from '../host/process-stats.mjs';
import { runScript } from '../host/run-script.mjs';
import { registerAgents, withHost } from '../host/with-host.mjs';
import { withModelServer } from '../models/with-model-server.mjs';
import { amount } from '../report/numbers.mjs';
import { below, noTarget } from '../report/targets.mjs';
import { AGENTS, QUICK_AGENT, runOfAgent, TALKING_AGENT } from '../workflows/agents.mjs';
import { NOOP, NOOP_WORKFLOW } from '../workflows/single-node.mjs';
import { REQUESTS_PER_SECOND, timeRequests } from './time-requests.mjs';

const LANGGRAPH = fileURLToPath(new URL('../langgraph/agents-in-flight.mjs', import.meta.url));
const MEMORY_EVERY_MS = 250;
const MOST_MS = 50;

/** Many agents whose models speak at the same time, each with a reader: memory, events, other requests. */
export async function agentsInFlight({ sizes, nodeFlags, langGraph, progress }) {
  const agents = sizes.agentsInFlight;
  const { host, peer } = await withModelServer(async (model) => ({
    host: await loadedHost(model, sizes, nodeFlags, progress),
    peer: await loadedPeer(model, langGraph, sizes, progress),
  }));
  const { alone, answers, memory } = host;
  return [
    {
      what: `${agents} agents streaming: other requests, p99`,
      host: `${amount(answers.p99)} ms`,
      peer: peer === undefined ? langGraph.missing : `${amount(peer.p99)} ms`,
      target: below(MOST_MS, answers.p99, 'ms'),
    },
    {
      what: '  the same, median',
      host: `${amount(answers.p50)} ms`,
      peer: peer === undefined ? '' : `${amount(peer.p50)} ms`,
      target: noTarget(),
    },
    { what: '  before the agents, p99', host: `${amount(alone.p99)} ms`, target: noTarget() },
    {
      what: '  resident memory, most',
      host: `${amount(memory.most)} MB`,
      peer: peer === undefined ? '' : `${amount(peer.most)} MB`,
      target: noTarget(),
    },
    {
      what: '  growth for each agent',
      host: growth(memory, agents),
      peer: peer === undefined ? '' : growth(peer, agents),
      target: noTarget(),
    },
    {
      what: '  events stored for each agent',
      host: amount(host.events / agents),
      target: noTarget(`${amount(host.tokens / agents)} tokens`),
    },
  ];
}

function growth({ before, most }, agents) {
  return `${amount(((most - before) * 1024) / agents)} KB`;
}

async function loadedHost(model, sizes, nodeFlags, progress) {
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
    const { result: answers, samples } = await withMemory(pid, () =>
      timeRequests(pool, kinds, streamSeconds),
    );
    await model.finish();
    const runIds = await load;
    pool.close();
    report(answers, before, samples, progress);
    const tokens = await model.tokens();
    return {
      alone,
      answers,
      memory: { before, most: Math.max(...samples) },
      events: eventsOf(dataFolder, runIds),
      tokens,
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

/** Resident memory of the process while the task is done, in megabytes, several times a second. */
async function withMemory(pid, task) {
  const samples = [residentMegabytes(pid)];
  const timer = setInterval(() => samples.push(residentMegabytes(pid)), MEMORY_EVERY_MS);
  try {
    return { result: await task(), samples };
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

function words({ p50, p99, most }) {
  return `median ${amount(p50)} ms, p99 ${amount(p99)} ms, longest ${amount(most)} ms`;
}

async function loadedPeer({ port }, langGraph, { agentsInFlight: agents, streamSeconds }, progress) {
  if (langGraph.missing) return undefined;
  progress(`the same with LangGraph, in-process`);
  const folder = makeDataFolder();
  try {
    const args = [join(folder, 'langgraph.db'), port, agents, REQUESTS_PER_SECOND, streamSeconds];
    const measured = await runScript(LANGGRAPH, args);
    progress(`LangGraph: ${words({ ...measured, most: measured.longest })}`);
    progress(`LangGraph: memory ${amount(measured.before)} MB before, at most ${amount(measured.most)} MB`);
    return measured;
  } finally {
    removeDataFolder(folder);
  }
}
