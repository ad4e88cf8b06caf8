import { supervisedGraph } from './checkpointed.mjs';
import { stepsOf } from './graphs.mjs';

/**
 * Runs one LangGraph thread for the given number of turns, in-process. Prints the milliseconds of a turn as
 * JSON.
 *
 *   node loop.mjs <database> <warm-up turns> <turns>
 */

const [, , file, warmUp, turns] = process.argv;
const graph = supervisedGraph(file);

async function loop(count, thread) {
  const start = performance.now();
  await graph.invoke(
    { topic: 'tides', turnsLeft: count },
    { configurable: { thread_id: thread }, recursionLimit: stepsOf(count) },
  );
  return (performance.now() - start) / count;
}

await loop(Number(warmUp), 'warm-up');
console.log(JSON.stringify({ milliseconds: await loop(Number(turns), 'measured') }));
