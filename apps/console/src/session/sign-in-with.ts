import { baton } from '../api/baton.ts';
import { queries, SESSION_KEY } from '../api/queries.ts';

/** Signs in. What was read for the person before is forgotten, because the next one may not read it. */
export async function signInWith(
  credential: { readonly code: string } | { readonly key: string },
): Promise<void> {
  const session = await baton.session.signIn(credential);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  queries.setQueryData(SESSION_KEY, session);
}
