import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { offeredCode } from '../session/fragment-code.ts';
import { LinkQuestion } from '../session/link-question.tsx';
import { sessionQuery } from '../session/session.ts';
import { SignInPage } from '../session/sign-in-page.tsx';
import { Unloaded } from '../ui/states.tsx';
import { Shell } from './shell.tsx';

/** The sign-in, or the pages. */
export function Root() {
  const session = useQuery(sessionQuery);
  const isOffered = useSyncExternalStore(offeredCode.subscribe, offeredCode.read) !== undefined;
  if (session.data === null) return <SignInPage />;
  if (session.data !== undefined && isOffered) return <LinkQuestion session={session.data} />;
  if (session.data !== undefined) return <Shell />;
  return (
    <main className="max-w-lg mx-auto p-6">
      <Unloaded query={session} />
    </main>
  );
}
