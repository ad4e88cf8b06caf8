import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openConnection } from '../client/connection.mjs';
import { createRun } from '../client/requests.mjs';
import { makeDataFolder, removeDataFolder } from '../host/data-folder.mjs';
import { runScript } from '../host/run-script.mjs';
import { withHost } from '../host/with-host.mjs';
import { turnTime } from '../langgraph-server/times.mjs';
import { amount, range } from '../report/numbers.mjs';
import { median } from '../report/statistics.mjs';
import { atMost, below, timesFaster } from '../report/targets.mjs';
import { EFFECT_LOOP, LOOP, loopWorkflows } from '../workflows/loop.mjs';
import { answersDuringLoops } from './answers-during-loops.mjs';
import { timeLoop } from './time-loop.mjs';

const LANGGRAPH = fileURLToPath(new URL('../langgraph/loop.mjs', import.meta.url));
const PEER_WARM_UP_TURNS = 100;

/** A supervisor with thousands of turns: the time of a turn, its growth, and the delay of other requests. */
export async function loop({ sizes, nodeFlags, langGraph, langGraphServer, progress }) {
  const turns = sizes.loopTurns;
  const { plain, withEffect, answers } = await withHost(loopWorkflows(turns), { nodeFlags }, async (host) => {
    progress(`a loop of ${amount(turns)} turns`);
    const plainLoops = await timeLoops(host.port, LOOP, sizes);
    progress(`this host: ${range(turnTimes(plainLoops), 'ms a turn')}`);
    progress(`a loop of ${amount(turns)} turns with one effect each`);
    const effectLoops = await timeLoops(host.port, EFFECT_LOOP, { ...sizes, rounds: 1 });
    progress(`this host: ${range(turnTimes(effectLoops), 'ms a turn')}`);
    progress('other requests while loops run');
    const waits = await answersDuringLoops(host.port, sizes.probeSeconds);
    for (const { kind, p50, p99, most } of waits.byKind) {
      progress(`${kind}: median ${amount(p50)} ms, p99 ${amount(p99)} ms, longest ${amount(most)} ms`);
    }
    return { plain: plainLoops, withEffect: effectLoops, answers: waits };
  });
  const peer = await peerTurn(langGraph, sizes, progress);
  const server = await serverTurn(langGraphServer, sizes, progress);

  const turn = median(turnTimes(plain));
  const growth = median(plain.map((measured) => measured.growthPercent));
  const effectTurn = median(turnTimes(withEffect));
  return [
    {
      what: `Loop of ${turns.toLocaleString('en-US')} turns, one child each`,
      host: `${amount(turn)} ms/turn`,
      peer: peer === undefined ? langGraph.missing : `${amount(peer)} ms/turn`,
      server: server === undefined ? langGraphServer.missing : `${amount(server)} ms/turn`,
      target: timesFaster(20, turn, peer, 'LangGraph'),
    },
    { what: '  a turn', host: `${amount(turn)} ms`, target: below(0.2, turn, 'ms') },
    {
      what: '  growth of a turn after warm-up',
      host: `${amount(growth)} %`,
      target: atMost(20, growth, '%'),
    },
    {
      what: '  a turn with one effect',
      host: `${amount(effectTurn)} ms`,
      target: below(0.8, effectTurn, 'ms'),
    },
    {
      what: '  other requests meanwhile, p99',
      host: `${amount(answers.p99)} ms`,
      target: below(50, answers.p99, 'ms'),
    },
  ];
}

async function timeLoops(port, workflowId, { rounds, loopTurns }) {
  const connection = await openConnection(port);
  const measured = [];
  while (measured.length < rounds) {
    measured.push(await timeLoop(connection, createRun(workflowId), loopTurns));
  }
  connection.close();
  return measured;
}

function turnTimes(loops) {
  return loops.map((measured) => measured.turnMs);
}

async function peerTurn(langGraph, { peerLoopTurns }, progress) {
  if (langGraph.missing) return undefined;
  progress(`a loop of ${peerLoopTurns} turns with LangGraph, in-process`);
  const folder = makeDataFolder();
  try {
    const database = join(folder, 'langgraph.db');
    const { milliseconds } = await runScript(LANGGRAPH, [database, PEER_WARM_UP_TURNS, peerLoopTurns]);
    progress(`LangGraph: ${amount(milliseconds)} ms a turn`);
    return milliseconds;
  } finally {
    removeDataFolder(folder);
  }
}

async function serverTurn(langGraphServer, { peerLoopTurns }, progress) {
  if (langGraphServer.missing) return undefined;
  progress(`a loop of ${peerLoopTurns} turns with the server of LangGraph, over HTTP`);
  const milliseconds = await turnTime(PEER_WARM_UP_TURNS, peerLoopTurns);
  progress(`LangGraph server: ${amount(milliseconds)} ms a turn`);
  return milliseconds;
}
