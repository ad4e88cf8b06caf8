import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { baton } from '../api/baton.ts';
import { Button, buttonClasses } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { errorText } from '../ui/states.tsx';
import { readCodeFault } from './fragment-code.ts';
import { signInWith } from './sign-in-with.ts';

/** Shown in the place of every page while nobody is signed in. The address stays, and is shown after the sign-in. */
export function SignInPage() {
  const ways = useQuery({ queryKey: ['ways'], queryFn: ({ signal }) => baton.session.ways({ signal }) });
  const [key, setKey] = useState('');
  const [fault, setFault] = useState<string | undefined>(readCodeFault);
  const [busy, setBusy] = useState(false);

  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      await signInWith({ key: key.trim() });
    } catch (error) {
      setFault(errorText(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className="min-h-dvh grid place-items-center p-4">
      <div className="w-full max-w-sm flex flex-col gap-5">
        <div className="flex items-center gap-3">
          <img src="/icon.svg" alt="" width={36} height={36} />
          <div>
            <h1>Sign in to Baton</h1>
            <p className="text-sm text-muted">{window.location.host}</p>
          </div>
        </div>
        <form onSubmit={signIn} className="bg-surface border border-line rounded-lg p-5 flex flex-col gap-4">
          <TextField
            label="API key"
            type="password"
            autoComplete="off"
            autoFocus
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
            error={fault}
            hint="It is sent to this host once and not kept in the browser."
          />
          <Button kind="primary" type="submit" busy={busy}>
            Sign in
          </Button>
          {ways.data?.oidc === true && (
            <a className={buttonClasses('secondary')} href="/v1/session/oidc">
              Sign in with {ways.data.oidcName ?? 'your organisation'}
            </a>
          )}
        </form>
        <p className="text-sm text-muted">
          On the machine of the host, <code className="font-mono text-text">baton open</code> prints a link
          that signs you in.
        </p>
      </div>
    </main>
  );
}
