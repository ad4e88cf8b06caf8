import { queries } from '../api/queries.ts';
import { observable } from '../observable.ts';
import { errorText } from '../ui/states.tsx';
import { sessionQuery } from './session.ts';
import { signInWith } from './sign-in-with.ts';

/**
 * The printed link has a code in its fragment, which browsers do not send to servers. The code is exchanged for a
 * session and removed from the address, so that it is neither in the history nor in a bookmark.
 */

let fault: string | undefined;

/** Why the code of the link was refused, for the sign-in page. */
export function readCodeFault(): string | undefined {
  return fault;
}

/** The code of a link that was opened by somebody who is signed in already. It is not used before it is accepted. */
const offered = observable<string | undefined>(undefined);

export const offeredCode = {
  read: offered.get,
  subscribe: offered.subscribe,
  /** Signs in as the holder of the code. Rejects with the reason when the code is no longer valid. */
  async accept(): Promise<void> {
    const code = offered.get();
    if (code !== undefined) await signInWith({ code });
    offered.set(undefined);
  },
  decline: () => offered.set(undefined),
};

/** Uses the code of the address, if there is one. */
export async function exchangeCode(): Promise<void> {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('code');
  if (code === null) return;
  window.history.replaceState(null, '', window.location.pathname + window.location.search);
  // Anybody can send a link with a code of their own. Who is signed in does not become somebody else unasked.
  if (await isSignedIn()) return offered.set(code);
  try {
    await signInWith({ code });
  } catch (error) {
    fault = errorText(error);
  }
}

async function isSignedIn(): Promise<boolean> {
  // A host that does not answer now refuses the code with a reason that the sign-in page shows.
  const session = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => null);
  return session !== null;
}
