import * as langGraph from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { idle, speaking, supervised } from './graphs.mjs';

/** The graphs, checkpointed in a database `file`. */

export function supervisedGraph(file) {
  return checkpointed(supervised(langGraph), file);
}

export function speakingGraph(file, ask) {
  return checkpointed(speaking(langGraph, ask), file);
}

export function idleGraph(file) {
  return checkpointed(idle(langGraph), file);
}

function checkpointed(graph, file) {
  return graph.compile({ checkpointer: SqliteSaver.fromConnString(file) });
}
