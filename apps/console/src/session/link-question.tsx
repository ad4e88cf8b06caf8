import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { errorText } from '../ui/states.tsx';
import { offeredCode } from './fragment-code.ts';
import type { Session } from './session.ts';

/** Shown in the place of every page after somebody who is signed in has opened a link that signs in. */
export function LinkQuestion({ session }: { readonly session: Session }) {
  const [fault, setFault] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const accept = async () => {
    setBusy(true);
    try {
      await offeredCode.accept();
    } catch (error) {
      setFault(errorText(error));
      setBusy(false);
    }
  };
  return (
    <main className="min-h-dvh grid place-items-center p-4">
      <div className="w-full max-w-md bg-surface border border-line rounded-lg p-5 flex flex-col gap-4">
        <h1 className="text-lg">Sign in with this link?</h1>
        <p className="text-sm break-words">
          You are signed in as <bdi className="font-semibold">{session.principal}</bdi> of{' '}
          <bdi className="font-semibold">{session.tenant}</bdi>. The link signs this browser in as the person
          who made it. What you do then is recorded under that name.
        </p>
        {fault !== undefined && (
          <p role="alert" className="text-sm text-danger">
            {fault}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" onClick={offeredCode.decline}>
            Stay signed in
          </Button>
          <Button busy={busy} disabled={fault !== undefined} onClick={accept}>
            Use the link
          </Button>
        </div>
      </div>
    </main>
  );
}
