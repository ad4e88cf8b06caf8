import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atRate } from '../client/open-loop.mjs';
import { asker, TASK } from '../models/ask.mjs';
import { ENDLESS, INSTANT } from '../models/names.mjs';
import { modelServer } from '../models/with-model-server.mjs';
import { quantile } from '../report/statistics.mjs';
import { idleGraph, speakingGraph } from './checkpointed.mjs';

/**
 * Keeps graphs streaming, in-process, and meanwhile reads the state of a finished thread and runs a graph that
 * does nothing, by turns. Prints times in milliseconds and memory in megabytes as JSON.
 *
 *   node agents-in-flight.mjs <database> <port of the model> <agents> <calls a second> <seconds>
 */

const [, , file, port, agents, perSecond, seconds] = process.argv;
const model = modelServer(Number(port));
const idle = idleGraph(join(dirname(file), 'idle.db'));

const onThread = () => ({ configurable: { thread_id: randomUUID() } });

async function stream(graph) {
  const parts = await graph.stream({ task: TASK }, { ...onThread(), streamMode: ['custom', 'values'] });
  let tokens = 0;
  for await (const [mode] of parts) if (mode === 'custom') tokens += 1;
  return tokens;
}

async function start(graph, count) {
  return Promise.all(Array.from({ length: count }, () => stream(graph)));
}

const residentMegabytes = () => process.memoryUsage.rss() / 1024 ** 2;

async function timeOthers(finished) {
  const waits = [];
  let most = 0;
  await atRate(Number(perSecond), Number(seconds), async (index, due) => {
    if (index % 2 === 0) await idle.getState(finished);
    else await idle.invoke({ task: TASK }, onThread());
    waits.push(performance.now() - due);
    most = Math.max(most, residentMegabytes());
  });
  return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99), longest: Math.max(...waits), most };
}

await start(speakingGraph(file, asker(Number(port), INSTANT)), Number(agents));
const finished = onThread();
await idle.invoke({ task: TASK }, finished);
for (let times = 0; times < 50; times += 1) await idle.invoke({ task: TASK }, onThread());

const before = residentMegabytes();
const streaming = start(speakingGraph(file, asker(Number(port), ENDLESS)), Number(agents));
await model.untilOpen(Number(agents));
const [tokensBefore, cpuBefore] = [await model.tokens(), process.cpuUsage()];
const [{ most, ...waits }] = await Promise.all([
  timeOthers(finished),
  sleep(Number(seconds) * 1000).then(model.finish),
]);
const [tokens, { user, system }] = [await model.tokens(), process.cpuUsage(cpuBefore)];
await streaming;
const cpuPerToken = (user + system) / 1e6 / (tokens - tokensBefore);
console.log(JSON.stringify({ ...waits, before, most, cpuPerToken }));
