/** The filters of the list of runs, as they stand in the address of the page. */
export interface RunsSearch {
  readonly q?: string;
  readonly status?: string;
  readonly workflow?: string;
  /** Child runs are listed, too. */
  readonly all?: boolean;
}

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  return {
    ...(typeof search.q === 'string' && search.q !== '' && { q: search.q }),
    ...(typeof search.status === 'string' && search.status !== '' && { status: search.status }),
    ...(typeof search.workflow === 'string' && search.workflow !== '' && { workflow: search.workflow }),
    ...(search.all === true && { all: true }),
  };
}
