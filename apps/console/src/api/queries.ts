import { BatonError } from '@baton/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

/** The answers of the host that pages share. The client itself repeats requests that can be repeated. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  defaultOptions: { queries: { retry: false, staleTime: 5_000 } },
});

export const SESSION_KEY = ['session'] as const;

/** A session that has ended is asked for again, which leads to the sign-in page. */
export function noticeSignOut(error: unknown): void {
  if (error instanceof BatonError && error.code === 'unauthenticated') {
    queries.setQueryData(SESSION_KEY, null);
  }
}
