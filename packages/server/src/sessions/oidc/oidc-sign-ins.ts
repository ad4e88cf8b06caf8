import type { Fetch } from '@baton/agents';
import { BatonError } from '@baton/protocol';
import type { Configuration } from 'openid-client';
import type { Logger } from 'pino';
import { derivedKey, opened, type Person, signed } from '../session-token.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { type Claims, personWith } from './people-by-rules.ts';

/** Signs people in with an OpenID provider, in two requests of the same browser: the code flow with PKCE. */
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

interface Kept {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly expiresAt: number;
}

interface OidcOptions {
  readonly settings: OidcSettings;
  readonly fetch: Fetch;
  readonly tokenKey: Buffer;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

export function oidcSignIns({ settings, fetch, tokenKey, log, now }: OidcOptions): OidcSignIns {
  const key = derivedKey(tokenKey, 'oidc');
  const provider = connectedProvider(settings, fetch, log);
  return {
    async begin(redirectUri) {
      const [oidc, configuration] = [await library(), await provider.configuration()];
      const [state, nonce, verifier] = [
        oidc.randomState(),
        oidc.randomNonce(),
        oidc.randomPKCECodeVerifier(),
      ];
      const kept: Kept = { state, nonce, verifier, redirectUri, expiresAt: now() + BEGUN_MS };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, kept: signed(key, kept) };
    },
    async finish(kept, query) {
      const begun = kept === undefined ? undefined : (opened(key, kept) as Kept | undefined);
      // The state binds the answer to the browser that began, so that nobody is signed in as somebody else.
      if (begun === undefined || begun.expiresAt <= now() || query.state !== begun.state) {
        throw new BatonError('unauthenticated', BEGIN_AGAIN);
      }
      const claims = await provider.claimsFor(begun, query);
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

class Unreachable extends Error {}

function connectedProvider(settings: OidcSettings, fetch: Fetch, log: Pick<Logger, 'warn'>) {
  const { issuer } = settings;
  let discovered: Promise<Configuration> | undefined;

  /** Tells a provider that does not answer from one that refuses. */
  async function reach(url: string, init: object): Promise<Response> {
    const answer = await fetch(url, init).catch((error) => {
      throw new Unreachable(`${url} did not answer`, { cause: error });
    });
    if (answer.status >= 500) throw new Unreachable(`${url} answered ${answer.status}`);
    return answer;
  }

  function notAsExpected(error: unknown): BatonError {
    log.warn({ err: error, issuer }, 'the OpenID provider did not answer as expected');
    return new BatonError('overloaded', 'The OpenID provider does not answer as expected; try again later.');
  }

  /** Read with the first sign-in. A failure is not remembered. */
  async function configuration(): Promise<Configuration> {
    discovered ??= discover(settings, reach);
    try {
      return await discovered;
    } catch (error) {
      discovered = undefined;
      throw notAsExpected(error);
    }
  }

  /** The verified claims of the person; `undefined` when the code or the token is not valid. */
  async function claimsFor(
    begun: Kept,
    { code, state, error, iss }: ReturnQuery,
  ): Promise<Claims | undefined> {
    const [{ authorizationCodeGrant }, connected] = [await library(), await configuration()];
    const cameBack = new URL(begun.redirectUri);
    for (const [name, value] of Object.entries({ code, state, error, iss })) {
      if (value !== undefined) cameBack.searchParams.set(name, value);
    }
    try {
      const tokens = await authorizationCodeGrant(connected, cameBack, {
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        pkceCodeVerifier: begun.verifier,
        idTokenExpected: true,
      });
      return tokens.claims();
    } catch (failure) {
      if (failure instanceof Error && failure.cause instanceof Unreachable)
        throw notAsExpected(failure.cause);
      log.warn({ err: failure, issuer }, 'the OpenID provider did not vouch for anybody');
      return undefined;
    }
  }

  return { configuration, claimsFor };
}

/** Loaded with the first sign-in, because most hosts have no OpenID provider. */
const library = () => import('openid-client');

async function discover(
  { issuer, clientId, clientSecret }: OidcSettings,
  fetch: (url: string, init: object) => Promise<Response>,
): Promise<Configuration> {
  const oidc = await library();
  // Only a provider without TLS may name addresses without TLS.
  const isInsecure = new URL(issuer).protocol === 'http:';
  const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
    [oidc.customFetch]: fetch,
    execute: isInsecure ? [oidc.allowInsecureRequests] : [],
  });
  const server = found.serverMetadata();
  if (server.issuer !== issuer) throw new Error('the provider names another issuer than BATON_OIDC_ISSUER');
  // Providers disagree about the encoding of the header, so the body is taken where it may be. The standard says
  // that the header is taken where the provider says nothing.
  const takesBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
  const proof = takesBody ? oidc.ClientSecretPost(clientSecret) : oidc.ClientSecretBasic(clientSecret);
  const configuration = new oidc.Configuration(server, clientId, undefined, proof);
  configuration[oidc.customFetch] = fetch;
  if (isInsecure) oidc.allowInsecureRequests(configuration);
  // Otherwise the signature of a token that comes over TLS is not verified.
  oidc.enableNonRepudiationChecks(configuration);
  return configuration;
}
