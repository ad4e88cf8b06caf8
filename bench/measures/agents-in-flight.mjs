import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { runScript } from '../host/run-script.mjs';
import { withModelServer } from '../models/with-model-server.mjs';
import { amount } from '../report/numbers.mjs';
import { below, noTarget } from '../report/targets.mjs';
import { loadedHost, words } from './host-with-agents.mjs';
import { REQUESTS_PER_SECOND } from './time-requests.mjs';

const LANGGRAPH = fileURLToPath(new URL('../langgraph/agents-in-flight.mjs', import.meta.url));
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
      what: '  processor time for each token',
      host: `${amount(host.cpuPerToken * 1000)} ms`,
      peer: peer === undefined ? '' : `${amount(peer.cpuPerToken * 1000)} ms`,
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
