import { createHash, randomBytes } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import { derivedKey, opened, type Person, signed } from '../session-token.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { personWith } from './people-by-rules.ts';
import type { BegunSignIn, OidcProvider } from './provider.ts';

/** Signs people in with an OpenID provider, in two requests of the same browser. */
export interface OidcSignIns {
  /** The address of the provider, and a text that the browser keeps until it comes back. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly kept: string }>;
  /** The person who comes back; `undefined` when the provider does not vouch for anybody. */
  finish(kept: string | undefined, query: ReturnQuery): Promise<Person | undefined>;
}

/** What the provider adds to the address to which it sends the browser back. */
interface ReturnQuery {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
  readonly iss?: string | undefined;
}

export const BEGUN_MS = 10 * 60 * 1000;

interface Kept extends BegunSignIn {
  readonly expiresAt: number;
}

interface OidcOptions {
  readonly settings: OidcSettings;
  readonly provider: OidcProvider;
  readonly tokenKey: Buffer;
  readonly now: () => number;
}

export function oidcSignIns({ settings, provider, tokenKey, now }: OidcOptions): OidcSignIns {
  const key = derivedKey(tokenKey, 'oidc');
  return {
    async begin(redirectUri) {
      const [state, nonce, verifier] = [secret(), secret(), secret()];
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const begun = { state, nonce, verifier, challenge, redirectUri };
      const kept: Kept = { ...begun, expiresAt: now() + BEGUN_MS };
      return { url: await provider.signInUrl(begun), kept: signed(key, kept) };
    },
    async finish(kept, { code, state, error, iss }) {
      const begun = kept === undefined ? undefined : (opened(key, kept) as Kept | undefined);
      // The state binds the answer to the browser that began, so that nobody is signed in as somebody else.
      if (begun === undefined || begun.expiresAt <= now() || state !== begun.state) {
        throw new BatonError('unauthenticated', BEGIN_AGAIN);
      }
      if (error !== undefined || code === undefined || (iss ?? settings.issuer) !== settings.issuer) {
        return undefined;
      }
      const claims = await provider.claimsFor(code, begun);
      if (claims === undefined) return undefined;
      const person = personWith(claims, settings);
      if (person === undefined) throw new BatonError('forbidden', NO_RULE);
      return person;
    },
  };
}

const BEGIN_AGAIN =
  'This sign-in was begun in another browser, or took longer than ten minutes; open the console and begin again.';
const NO_RULE =
  'You are known to the OpenID provider, but no rule of this host lets you in; ask its operator (BATON_OIDC_ROLES).';

function secret(): string {
  return randomBytes(32).toString('base64url');
}
