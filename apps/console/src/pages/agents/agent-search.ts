const AGENT_VIEWS = ['manifest', 'talk', 'memory', 'usage', 'runs'] as const;
export type AgentView = (typeof AGENT_VIEWS)[number];

/** What a link to an agent shows: the view, the conversation that is open, and the run whose memory is shown. */
export interface AgentSearch {
  readonly view?: AgentView;
  readonly conversation?: string;
  readonly run?: string;
  /** The memory before this event of the run. Absent: now. */
  readonly at?: number;
}

export function readAgentSearch(search: Record<string, unknown>): AgentSearch {
  const view = AGENT_VIEWS.find((name) => name === search.view);
  const at = Number(search.at);
  return {
    ...(view !== undefined && { view }),
    ...(typeof search.conversation === 'string' &&
      search.conversation !== '' && { conversation: search.conversation }),
    ...(typeof search.run === 'string' && search.run !== '' && { run: search.run }),
    ...(search.at !== undefined && Number.isSafeInteger(at) && at >= 0 && { at }),
  };
}
