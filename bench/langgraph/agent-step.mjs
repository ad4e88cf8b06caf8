import { randomUUID } from 'node:crypto';
import { timedInTurns } from '../client/timed.mjs';
import { asker, TASK } from '../models/ask.mjs';
import { INSTANT } from '../models/names.mjs';
import { median } from '../report/statistics.mjs';
import { speakingGraph } from './checkpointed.mjs';

/**
 * Times a model call alone and by a node of a graph, in turns, in-process. Prints the medians as JSON, in
 * milliseconds.
 *
 *   node agent-step.mjs <database> <port of the model> <times>
 */

const [, , file, port, times] = process.argv;
const ask = asker(Number(port), INSTANT);
const graph = speakingGraph(file, ask);

async function step() {
  const stream = await graph.stream(
    { task: TASK },
    { configurable: { thread_id: randomUUID() }, streamMode: ['custom', 'values'] },
  );
  let text;
  for await (const [mode, value] of stream) if (mode === 'values') text = value.text;
  if (!text) throw new Error('the graph has no answer');
}

const [bare, withGraph] = await timedInTurns([() => ask(), step], Number(times));
console.log(JSON.stringify({ bare: median(bare), step: median(withGraph) }));
