import { langGraphRequire } from './install.mjs';

const require = langGraphRequire();
const { Annotation, END, START, StateGraph } = require('@langchain/langgraph');
const { SqliteSaver } = require('@langchain/langgraph-checkpoint-sqlite');

const Speaking = Annotation.Root({ task: Annotation(), text: Annotation() });

/** A graph of one node that asks a model and passes its tokens on, checkpointed in `file`. */
export function speakingGraph(file, ask) {
  return oneNode(file, async (_state, { writer }) => ({ text: await ask((token) => writer?.(token)) }));
}

/** A graph of one node that does nothing, checkpointed in `file`. */
export function idleGraph(file) {
  return oneNode(file, () => ({ text: '' }));
}

function oneNode(file, node) {
  return new StateGraph(Speaking)
    .addNode('only', node)
    .addEdge(START, 'only')
    .addEdge('only', END)
    .compile({ checkpointer: SqliteSaver.fromConnString(file) });
}
