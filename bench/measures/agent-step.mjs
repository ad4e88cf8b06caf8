import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openConnection } from '../client/connection.mjs';
import { createRun, post } from '../client/requests.mjs';
import { runToEnd } from '../client/run-to-end.mjs';
import { timedInTurns } from '../client/timed.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { runScript } from '../host/run-script.mjs';
import { registerAgents, withHost } from '../host/with-host.mjs';
import { stepTimes } from '../langgraph-server/times.mjs';
import { asker } from '../models/ask.mjs';
import { INSTANT } from '../models/names.mjs';
import { withModelServer } from '../models/with-model-server.mjs';
import { amount, spread } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { noTarget } from '../report/targets.mjs';
import { AGENTS, QUICK_AGENT, runOfAgent } from '../workflows/agents.mjs';
import { NOOP, NOOP_WORKFLOW } from '../workflows/single-node.mjs';

const LANGGRAPH = fileURLToPath(new URL('../langgraph/agent-step.mjs', import.meta.url));

/** How much longer one model call takes in an agent than alone, when the model answers at once. */
export async function agentStep({ sizes, nodeFlags, langGraph, langGraphServer, progress }) {
  const { bare, idle, agent, peer, server } = await withModelServer(async (model) => ({
    ...(await timeSteps(model, sizes, nodeFlags, progress)),
    peer: await peerStep(model, langGraph, sizes, progress),
    server: await serverStep(model, langGraphServer, sizes, progress),
  }));
  const overhead = agent - bare;
  return [
    {
      what: 'An agent with one model call',
      host: `${amount(agent)} ms`,
      limit: `the call alone ${amount(bare)} ms`,
      peer: peer === undefined ? langGraph.missing : `${amount(peer.step)} ms`,
      server: server === undefined ? langGraphServer.missing : `${amount(server.step)} ms`,
      target: noTarget(),
    },
    {
      what: '  more than the call alone',
      host: `${amount(overhead)} ms`,
      peer: peer === undefined ? '' : `${amount(peer.step - peer.bare)} ms`,
      server: server === undefined ? '' : `${amount(server.step - server.bare)} ms`,
      target: noTarget(),
    },
    { what: '  of it, a run that does nothing', host: `${amount(idle)} ms`, target: noTarget() },
  ];
}

async function timeSteps(model, { requests }, nodeFlags, progress) {
  progress('a model call alone, a run that does nothing, and an agent with one model call, by turns');
  const ask = asker(model.port, INSTANT);
  const settings = model.hostSettings;
  return withHost([NOOP_WORKFLOW], { nodeFlags, settings }, async ({ port }) => {
    await registerAgents(port, AGENTS);
    const connection = await openConnection(port);
    const doNothing = createRun(NOOP);
    const runAgent = post('/v1/runs', runOfAgent(QUICK_AGENT));
    const times = await timedInTurns(
      [() => ask(), () => runToEnd(connection, doNothing), () => runToEnd(connection, runAgent)],
      requests,
    );
    connection.close();
    const [bare, idle, agent] = times.map(median);
    progress(`the call alone: ${spread(times[0], 'ms')}`);
    progress(`a run that does nothing: ${spread(times[1], 'ms')}`);
    progress(`an agent: ${spread(times[2], 'ms')}`);
    return { bare, idle, agent };
  });
}

async function peerStep({ port }, langGraph, { requests }, progress) {
  if (langGraph.missing) return undefined;
  progress('a model call alone and by a node of LangGraph, by turns, in-process');
  const folder = makeDataFolder();
  try {
    const times = await runScript(LANGGRAPH, [join(folder, 'langgraph.db'), port, requests]);
    progress(`LangGraph: the call alone ${amount(times.bare)} ms, by a node ${amount(times.step)} ms`);
    return times;
  } finally {
    removeDataFolder(folder);
  }
}

async function serverStep({ port }, langGraphServer, { serverSteps }, progress) {
  if (langGraphServer.missing) return undefined;
  progress('a model call alone and by a node behind the server of LangGraph, by turns');
  const times = await stepTimes(port, serverSteps);
  progress(`LangGraph server: the call alone ${amount(times.bare)} ms, by a run ${amount(times.step)} ms`);
  return times;
}
