interface InboxSearch {
  /** The question that is open. */
  readonly open?: string;
}

export function readInboxSearch(search: Record<string, unknown>): InboxSearch {
  return typeof search.open === 'string' ? { open: search.open } : {};
}
