/**
 * What the addresses of the pages say besides their paths. A value of another type than these, or a name that no page
 * knows, is as good as absent.
 */

type Given = Readonly<Record<string, unknown>>;

/**
 * The router keeps what a reader of the address leaves out, so that a page would be given values of any type. Here they
 * are taken away by name.
 */
export function strictly<Search extends object>(read: (search: Given) => Search): (search: Given) => Search {
  return (search) => {
    const nothing = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
    return { ...nothing, ...read(search) };
  };
}

/** The members that have a value. */
function present<Search extends object>(members: Search): Partial<Search> {
  const some = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(some) as Partial<Search>;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function indexIn(value: unknown): number | undefined {
  const index = Number(value);
  return value !== undefined && value !== '' && Number.isSafeInteger(index) && index >= 0 ? index : undefined;
}

function oneOf<const Name extends string>(names: readonly Name[], value: unknown): Name | undefined {
  return names.find((name) => name === value);
}

/** The view of a run, and the moment as the number of an event of the run, or of its descendant `in`, such as `.3`. */
export function readRunSearch(search: Given) {
  const at = indexIn(search.at);
  const below = textIn(search.in);
  return present({
    view: oneOf(['overview', 'merges', 'state'], search.view),
    at,
    in: at !== undefined && below?.startsWith('.') ? below : undefined,
  });
}
export type RunSearch = ReturnType<typeof readRunSearch>;
export type RunView = NonNullable<RunSearch['view']>;

/** The filters of the list of runs. With `all`, child runs are listed, too. */
export function readRunsSearch({ q, status, workflow, all }: Given) {
  return present({
    q: textIn(q),
    status: textIn(status),
    workflow: textIn(workflow),
    all: all === true ? true : undefined,
  });
}
export type RunsSearch = ReturnType<typeof readRunsSearch>;

/** The question that is open in the inbox. */
export function readInboxSearch({ open }: Given) {
  return present({ open: typeof open === 'string' ? open : undefined });
}

/** The view of a workflow, and the node that is selected in the graph. */
export function readWorkflowSearch({ view, node }: Given) {
  return present({ view: oneOf(['graph', 'definition', 'versions', 'runs'], view), node: textIn(node) });
}
export type WorkflowView = NonNullable<ReturnType<typeof readWorkflowSearch>['view']>;

/** The words that are searched for in the list of workflows, or the form for a new workflow. */
export function readWorkflowsSearch(search: Given) {
  return present({ q: textIn(search.q), new: search.new === true ? true : undefined });
}

/** The view of an agent, the conversation that is open, and the run whose memory before an event is shown, or now. */
export function readAgentSearch({ view, conversation, run, at }: Given) {
  return present({
    view: oneOf(['manifest', 'talk', 'memory', 'usage', 'runs'], view),
    conversation: textIn(conversation),
    run: textIn(run),
    at: indexIn(at),
  });
}
export type AgentSearch = ReturnType<typeof readAgentSearch>;
export type AgentView = NonNullable<AgentSearch['view']>;

export function readHostSearch({ view }: Given) {
  return present({ view: oneOf(['now', 'storage', 'capabilities', 'access', 'audit'], view) });
}
export type HostView = NonNullable<ReturnType<typeof readHostSearch>['view']>;
