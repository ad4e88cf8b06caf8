import { fileURLToPath } from 'node:url';
import { startServer } from '@langchain/langgraph-api/server';
import { SPEAKING, SUPERVISED } from './names.mjs';

/**
 * Serves both graphs of the benchmark with the HTTP server of LangGraph, and prints its address. It keeps its files
 * below `folder`.
 *
 *   node serve.mjs <folder>
 */

/** As many as the command of LangGraph starts unless it is told another number. */
const WORKERS = 10;

const fileOf = (name) => fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
const { host } = await startServer({
  host: '127.0.0.1',
  port: 0,
  nWorkers: WORKERS,
  cwd: process.argv[2],
  graphs: Object.fromEntries([SUPERVISED, SPEAKING].map((name) => [name, `${fileOf(name)}:graph`])),
});
console.log(`http://${host}`);
