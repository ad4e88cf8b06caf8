/**
 * The same work as the workflows of the host, written as in the documentation of LangGraph. The package is handed to
 * each function, because the library and the server are installed in two folders.
 */

/** A supervisor that sends work to a worker graph until no turns are left. */
export function supervised({ Annotation, END, START, StateGraph }) {
  const Writing = Annotation.Root({ subject: Annotation(), text: Annotation() });
  const worker = new StateGraph(Writing)
    .addNode('write', ({ subject }) => ({ text: `On ${subject}` }))
    .addEdge(START, 'write')
    .addEdge('write', END)
    .compile();

  const Supervised = Annotation.Root({
    topic: Annotation(),
    report: Annotation(),
    turnsLeft: Annotation(),
    decision: Annotation(),
  });
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
    .addEdge('hand-out', 'lead');
}

/** The steps that LangGraph takes for so many turns must be below its limit. */
export function stepsOf(turns) {
  return turns * 2 + 10;
}

/** A graph of one node that asks a model and passes its tokens on. */
export function speaking(langGraph, ask) {
  return oneNode(langGraph, async (_state, { writer }) => ({ text: await ask((token) => writer?.(token)) }));
}

/** A graph of one node that does nothing. */
export function idle(langGraph) {
  return oneNode(langGraph, () => ({ text: '' }));
}

function oneNode({ Annotation, END, START, StateGraph }, node) {
  return new StateGraph(Annotation.Root({ task: Annotation(), text: Annotation() }))
    .addNode('only', node)
    .addEdge(START, 'only')
    .addEdge('only', END);
}
