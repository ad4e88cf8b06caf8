import { langGraphRequire } from './install.mjs';

/** The same work as the workflows of the host, written as in the documentation of LangGraph. */

const require = langGraphRequire();
const { Annotation, END, START, StateGraph } = require('@langchain/langgraph');
const { SqliteSaver } = require('@langchain/langgraph-checkpoint-sqlite');

const Supervised = Annotation.Root({
  topic: Annotation(),
  report: Annotation(),
  turnsLeft: Annotation(),
  decision: Annotation(),
});
const Writing = Annotation.Root({ subject: Annotation(), text: Annotation() });

/** A supervisor that sends work to a worker graph until no turns are left, checkpointed in `file`. */
export function supervisedGraph(file) {
  const worker = new StateGraph(Writing)
    .addNode('write', ({ subject }) => ({ text: `On ${subject}` }))
    .addEdge(START, 'write')
    .addEdge('write', END)
    .compile();

  return new StateGraph(Supervised)
    .addNode('lead', ({ turnsLeft }) => ({
      decision: turnsLeft > 0 ? 'next-worker' : 'terminate',
      turnsLeft: turnsLeft - 1,
    }))
    .addNode('hand-out', async ({ topic }) => {
      const { text } = await worker.invoke({ subject: topic });
      return { report: text };
    })
    .addEdge(START, 'lead')
    .addConditionalEdges('lead', ({ decision }) => (decision === 'terminate' ? END : 'hand-out'))
    .addEdge('hand-out', 'lead')
    .compile({ checkpointer: SqliteSaver.fromConnString(file) });
}
