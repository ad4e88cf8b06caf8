import { BatonError, type SessionInfo } from '@baton/client';
import type { Scope } from '@baton/protocol';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { baton } from '../api/baton.ts';
import { SESSION_KEY } from '../api/queries.ts';

/** The person who is signed in, and what the key of this person allows. */
export type Session = SessionInfo;

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await baton.session.read({ signal });
    } catch (error) {
      if (error instanceof BatonError && error.code === 'unauthenticated') return null;
      throw error;
    }
  },
});

/** The session of a page behind the sign-in. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error('Nobody is signed in.');
  return data;
}

/**
 * Whether the person may do something. What is not allowed is not offered; the host refuses it all the same.
 * Example: `may(session, 'runs:create')`.
 */
export function useMay(): (scope: Scope) => boolean {
  const { scopes } = useSession();
  return (scope) => scopes.includes(scope);
}
