const RUN_VIEWS = ['overview', 'merges', 'state'] as const;
export type RunView = (typeof RUN_VIEWS)[number];

/** What a link to a run shows: the view, and the moment as the number of an event of the run. */
export interface RunSearch {
  readonly view?: RunView;
  readonly at?: number;
  /** The descendant whose event `at` counts, by the end of its id, such as `.3`. Absent: the run itself. */
  readonly in?: string;
}

export function readRunSearch(search: Record<string, unknown>): RunSearch {
  const view = RUN_VIEWS.find((name) => name === search.view);
  const at = Number(search.at);
  const hasMoment = search.at !== undefined && search.at !== '' && Number.isSafeInteger(at) && at >= 0;
  const below = typeof search.in === 'string' && search.in.startsWith('.') ? search.in : undefined;
  return {
    ...(view !== undefined && { view }),
    ...(hasMoment && { at }),
    ...(hasMoment && below !== undefined && { in: below }),
  };
}
