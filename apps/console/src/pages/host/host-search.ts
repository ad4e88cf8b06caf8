const HOST_VIEWS = ['now', 'storage', 'capabilities', 'access', 'audit'] as const;
export type HostView = (typeof HOST_VIEWS)[number];

interface HostSearch {
  readonly view?: HostView;
}

export function readHostSearch(search: Record<string, unknown>): HostSearch {
  const view = HOST_VIEWS.find((name) => name === search.view);
  return view === undefined ? {} : { view };
}
