import { randomUUID } from 'node:crypto';
import { supervisedGraph } from './checkpointed.mjs';

/**
 * Measures handoffs a second, in-process, with the given number in flight. Prints the rate as JSON.
 *
 *   node handoffs.mjs <database> <in flight> <warm-up seconds> <seconds>
 */

const [, , file, inFlight, warmUp, seconds] = process.argv;
const graph = supervisedGraph(file);

async function handoff() {
  const state = await graph.invoke(
    { topic: 'tides', turnsLeft: 1 },
    { configurable: { thread_id: randomUUID() } },
  );
  if (state.report !== 'On tides') throw new Error(`unexpected result: ${JSON.stringify(state)}`);
}

async function rateFor(duration) {
  const start = performance.now();
  const end = start + duration * 1000;
  let finished = 0;
  const keepGoing = async () => {
    while (performance.now() < end) {
      await handoff();
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, keepGoing));
  return finished / ((performance.now() - start) / 1000);
}

await rateFor(Number(warmUp));
console.log(JSON.stringify({ rate: await rateFor(Number(seconds)) }));
