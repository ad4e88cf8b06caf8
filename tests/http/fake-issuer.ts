import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';

/** An OpenID provider on loopback. It lets everybody in who comes, and can be told to lie. */
export interface FakeIssuer {
  readonly url: string;
  /** The claims of the next person. A function gets the right claims, and gives those that are sent. */
  says(
    change: (claims: JWTPayload) => JWTPayload,
    how?: 'signed' | 'unsigned' | 'by another key' | 'hmac',
  ): void;
  /** How the next token request is answered, instead of with a token. */
  fails(status: number): void;
  /** What the host has sent to the token endpoint. */
  readonly asked: URLSearchParams[];
  /** The provider's part of a sign-in: takes the address that the browser was led to, and gives the one it is sent back to. */
  visit(address: string): URL;
  stop(): Promise<void>;
}

export const CLIENT = { clientId: 'baton host', clientSecret: 'secret of the host' };

/** The id and the secret are encoded like a form, as RFC 6749 says. */
function isClient(authorization = ''): boolean {
  const credentials = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
  const [id, secret] = credentials.split(':').map((part) => new URLSearchParams(`part=${part}`).get('part'));
  return id === CLIENT.clientId && secret === CLIENT.clientSecret;
}

export async function startFakeIssuer(): Promise<FakeIssuer> {
  const [own, other] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' };
  let change = (claims: JWTPayload) => claims;
  let how = 'signed';
  let failure = 0;
  const codes = new Map<string, URLSearchParams>();
  const asked: URLSearchParams[] = [];

  async function token(claims: JWTPayload): Promise<string> {
    if (how === 'unsigned') return new UnsecuredJWT(claims).encode();
    if (how === 'hmac') {
      const secret = new TextEncoder().encode(CLIENT.clientSecret);
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret);
    }
    const key = how === 'signed' ? own.privateKey : other.privateKey;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(key);
  }

  async function exchange(
    form: URLSearchParams,
    authorization: string | undefined,
  ): Promise<object | undefined> {
    asked.push(form);
    const begun = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      begun?.get('code_challenge') === challenge &&
      begun.get('redirect_uri') === form.get('redirect_uri') &&
      isClient(authorization);
    if (!isRight) return undefined;
    const iat = Math.floor(Date.now() / 1000);
    const right = {
      iss: url,
      aud: CLIENT.clientId,
      sub: 'u-1',
      nonce: begun.get('nonce') ?? '',
      iat,
      exp: iat + 300,
    };
    return { token_type: 'Bearer', access_token: 'x', id_token: await token(change(right)) };
  }

  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/.well-known/openid-configuration') {
      return answer(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize?kept=1`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
      });
    }
    if (request.url === '/keys') return answer(200, { keys: [jwk] });
    if (failure !== 0) return answer(failure, { error: 'server_error' });
    let body = '';
    for await (const part of request) body += part;
    const given = await exchange(new URLSearchParams(body), request.headers.authorization);
    return answer(given === undefined ? 400 : 200, given ?? { error: 'invalid_grant' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    asked,
    says(given, as = 'signed') {
      change = given;
      how = as;
    },
    fails(status) {
      failure = status;
    },
    visit(address) {
      const { searchParams } = new URL(address);
      const code = randomBytes(8).toString('hex');
      codes.set(code, searchParams);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      back.searchParams.set('session_state', 'of the provider');
      return back;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
