import type { Fetch } from '@baton/agents';
import { BatonError } from '@baton/protocol';
import type { FetchImplementation, JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import type { OidcSettings } from './oidc-settings.ts';
import type { Claims } from './people-by-rules.ts';

/** Talks to an OpenID provider: the code flow with PKCE. */
export interface OidcProvider {
  /** The address at which a person signs in. */
  signInUrl(begun: BegunSignIn): Promise<string>;
  /** The verified claims of the person; `undefined` when the code or the token is not valid. */
  claimsFor(code: string, begun: BegunSignIn): Promise<Claims | undefined>;
}

export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The digest of `verifier`. */
  readonly challenge: string;
  readonly redirectUri: string;
}

interface Endpoints {
  readonly authorization: string;
  readonly token: string;
  /** The client names itself in a header, else in the body. */
  readonly basic: boolean;
  readonly keys: JWTVerifyGetKey;
}

/** Only signatures that the provider alone can make. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const SKEW_S = 30;

interface ProviderOptions {
  readonly settings: OidcSettings;
  readonly fetch: Fetch;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

export function oidcProvider({ settings, fetch, log, now }: ProviderOptions): OidcProvider {
  const { issuer, clientId } = settings;
  let found: Promise<Endpoints> | undefined;

  /** Read with the first sign-in. A failure is not remembered. */
  async function endpoints(): Promise<Endpoints> {
    found ??= discover(issuer, fetch);
    try {
      return await found;
    } catch (error) {
      found = undefined;
      throw unreachable(error);
    }
  }

  function unreachable(error: unknown): BatonError {
    log.warn({ err: error, issuer }, 'the OpenID provider did not answer as expected');
    return new BatonError('overloaded', 'The OpenID provider does not answer as expected; try again later.');
  }

  async function idTokenFor(code: string, begun: BegunSignIn, to: Endpoints): Promise<string | undefined> {
    const answer = await fetch(to.token, tokenRequest(code, begun, settings, to.basic)).catch((error) => {
      throw unreachable(error);
    });
    const text = await answer.text();
    if (answer.status >= 500) throw unreachable(new Error(`the token endpoint answered ${answer.status}`));
    return answer.ok ? stringIn(text, 'id_token') : undefined;
  }

  return {
    async signInUrl({ state, nonce, challenge, redirectUri }) {
      const url = new URL((await endpoints()).authorization);
      const parameters = {
        ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri },
        ...{ scope: 'openid profile email', state, nonce },
        ...{ code_challenge: challenge, code_challenge_method: 'S256' },
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    async claimsFor(code, begun) {
      const to = await endpoints();
      const idToken = await idTokenFor(code, begun, to);
      if (idToken === undefined) return undefined;
      const { jwtVerify } = await jose();
      try {
        const { payload } = await jwtVerify(idToken, to.keys, {
          ...{ issuer, audience: clientId, algorithms: ALGORITHMS },
          ...{ requiredClaims: ['exp', 'iat', 'sub'], clockTolerance: SKEW_S, currentDate: new Date(now()) },
        });
        const isForThisClient = !Array.isArray(payload.aud) || payload.aud.length === 1;
        const isMeant = payload.nonce === begun.nonce && (isForThisClient || payload.azp === clientId);
        return isMeant ? payload : undefined;
      } catch (error) {
        log.warn({ err: error, issuer }, 'an ID token was refused');
        return undefined;
      }
    },
  };
}

/** Loaded with the first sign-in, because most hosts have no OpenID provider. */
const jose = () => import('jose');

async function discover(issuer: string, fetch: Fetch): Promise<Endpoints> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await fetch(address);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  const [named, authorization, token, jwks] = [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
  ].map((name) => stringIn(text, name));
  if (named !== issuer)
    throw new Error(`${address} names another issuer; BATON_OIDC_ISSUER must be the same`);
  const secure = [authorization, token, jwks].map((url) => checked(url, issuer));
  const { createRemoteJWKSet, customFetch } = await jose();
  const fetchKeys: FetchImplementation = (url, init) => fetch(url, init);
  const [toAuthorize = '', toToken = '', toKeys = ''] = secure;
  return {
    authorization: toAuthorize,
    token: toToken,
    basic: takesBasic(text),
    keys: createRemoteJWKSet(new URL(toKeys), { [customFetch]: fetchKeys }),
  };
}

/** An address of a provider with https is not one of http. */
function checked(url: string | undefined, issuer: string): string {
  if (url === undefined || !URL.canParse(url)) throw new Error('an address of the provider is missing');
  if (new URL(url).protocol !== new URL(issuer).protocol)
    throw new Error(`${url} is not as safe as ${issuer}`);
  return url;
}

/** The standard says that the header is taken where the provider says nothing. */
function takesBasic(text: string): boolean {
  const { token_endpoint_auth_methods_supported: methods } = objectIn(text);
  return !Array.isArray(methods) || methods.includes('client_secret_basic');
}

function tokenRequest(
  code: string,
  { verifier, redirectUri }: BegunSignIn,
  { clientId, clientSecret }: OidcSettings,
  basic: boolean,
): RequestInit {
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const body = new URLSearchParams({
    ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    ...(!basic && { client_id: clientId, client_secret: clientSecret }),
  });
  return {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(basic && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    body: body.toString(),
  };
}

function objectIn(text: string): Claims {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Claims) : {};
  } catch {
    return {};
  }
}

function stringIn(text: string, name: string): string | undefined {
  const value = objectIn(text)[name];
  return typeof value === 'string' ? value : undefined;
}
