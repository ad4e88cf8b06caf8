import { fileURLToPath } from 'node:url';
import { startServer } from '@langchain/langgraph-api/server';
import * as served from './served.mjs';

/**
 * Serves the graphs of the benchmark with the HTTP server of LangGraph, and prints its address. It keeps its files
 * below `folder`.
 *
 *   node serve.mjs <folder>
 */

/** As many as the command of LangGraph starts unless it is told another number. */
const WORKERS = 10;

const file = fileURLToPath(new URL('./served.mjs', import.meta.url));
const { host } = await startServer({
  host: '127.0.0.1',
  port: 0,
  nWorkers: WORKERS,
  cwd: process.argv[2],
  graphs: Object.fromEntries(Object.keys(served).map((name) => [name, `${file}:${name}`])),
});
console.log(`http://${host}`);
