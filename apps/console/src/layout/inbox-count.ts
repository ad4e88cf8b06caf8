import { queryOptions } from '@tanstack/react-query';
import { baton } from '../api/baton.ts';

export const INBOX_KEY = ['inbox'] as const;

export const inboxQuery = queryOptions({
  queryKey: INBOX_KEY,
  queryFn: ({ signal }) => baton.inbox({ signal }),
});

/** How many questions wait for a person. The live feed of runs asks for it again when a run changes. */
export const inboxCountQuery = queryOptions({ ...inboxQuery, select: (waiting) => waiting.length });
