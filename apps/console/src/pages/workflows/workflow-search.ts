const WORKFLOW_VIEWS = ['graph', 'definition', 'versions', 'runs'] as const;
export type WorkflowView = (typeof WORKFLOW_VIEWS)[number];

/** What a link to a workflow shows: the view, and the node that is selected in the graph. */
interface WorkflowSearch {
  readonly view?: WorkflowView;
  readonly node?: string;
}

export function readWorkflowSearch(search: Record<string, unknown>): WorkflowSearch {
  const view = WORKFLOW_VIEWS.find((name) => name === search.view);
  return {
    ...(view !== undefined && { view }),
    ...(typeof search.node === 'string' && search.node !== '' && { node: search.node }),
  };
}

/** What a link to the list shows: the words that are searched for, or the form for a new workflow. */
interface WorkflowsSearch {
  readonly q?: string;
  readonly new?: boolean;
}

export function readWorkflowsSearch(search: Record<string, unknown>): WorkflowsSearch {
  return {
    ...(typeof search.q === 'string' && search.q !== '' && { q: search.q }),
    ...(search.new === true && { new: true }),
  };
}
