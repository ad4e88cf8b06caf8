import Type, { type Static } from 'typebox';
import { DateTime, json, type RouteContract, type Routes } from './contract.ts';

/** Browser sessions: how a person signs in, who the caller is, and how a session ends. */

/** The cookie of a session. */
export const SESSION_COOKIE = 'baton_session';

/** A request by a session that changes something must have this header with the value 1. */
export const CONSOLE_HEADER = 'x-baton-console';

/** Longer codes and keys do not exist. */
const Credential = Type.String({ minLength: 1, maxLength: 1024 });

export type SessionView = Static<typeof SessionView>;
const SessionView = Type.Object({
  tenant: Type.String(),
  principal: Type.String(),
  keyId: Type.String({
    description: 'The key, or `oidc:` with the id that the OpenID provider has given to the person',
  }),
  scopes: Type.Array(Type.String(), { description: 'What the caller may do now' }),
  via: Type.Unsafe<'session' | 'key'>({ enum: ['session', 'key'] }),
  expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'The end of the session' })),
  host: Type.Object({ id: Type.String(), version: Type.String() }),
  signIn: Type.Object({ oidc: Type.Boolean({ description: 'People can sign in with an OpenID provider' }) }),
});

const signIn = {
  method: 'POST',
  path: '/v1/session',
  access: 'public',
  idempotent: 'never',
  tag: 'sessions',
  summary: 'Sign in with a code or an API key',
  description:
    `Sets the cookie \`${SESSION_COOKIE}\`, which browsers send with later requests. The session has the scopes that ` +
    'the key has at each request, and ends after twelve hours, at a sign-out, or when the key is revoked. Send either ' +
    'a code or a key. A code that was used, has expired or never existed is refused in the same way.',
  // Other members are not refused, because a refusal would repeat their names, and the tenant is not known yet whose
  // secrets would have to be hidden in it.
  body: Type.Object({ code: Type.Optional(Credential), key: Type.Optional(Credential) }),
  emptyBody: 'refused',
  responses: { 200: json(SessionView, 'Signed in') },
  refusals: ['unauthenticated', 'forbidden', 'rate_limited'],
} as const satisfies RouteContract;

const ReturnText = Type.Optional(Type.String({ maxLength: 4096 }));

export const SESSION_CONTRACTS = {
  createSignInCode: {
    method: 'POST',
    path: '/v1/session/codes',
    access: 'authenticated',
    idempotent: 'never',
    tag: 'sessions',
    summary: 'Make a code with which a browser signs in once',
    description:
      'The code stands for the key of the caller for ten minutes. `url` has it behind `#`, which browsers do not send, ' +
      'so that it is in no log. A caller that is signed in by a session itself is refused.',
    responses: {
      201: json(
        Type.Object({ code: Type.String(), expiresAt: DateTime, url: Type.String({ format: 'uri' }) }),
        'Made',
      ),
    },
    refusals: [],
  },
  signIn,
  readSession: {
    method: 'GET',
    path: '/v1/session',
    access: 'authenticated',
    idempotent: 'always',
    tag: 'sessions',
    summary: 'Who the caller is, and what the caller may do',
    responses: { 200: json(SessionView) },
    refusals: [],
  },
  readSignInWays: {
    method: 'GET',
    path: '/v1/session/ways',
    access: 'public',
    idempotent: 'always',
    tag: 'sessions',
    summary: 'The ways to sign in',
    responses: {
      200: json(
        Type.Object({
          key: Type.Boolean(),
          code: Type.Boolean(),
          oidc: Type.Boolean(),
          oidcName: Type.Optional(Type.String({ description: 'Names the OpenID provider for people' })),
        }),
      ),
    },
    refusals: [],
  },
  signOut: {
    method: 'DELETE',
    path: '/v1/session',
    access: 'authenticated',
    idempotent: 'always',
    tag: 'sessions',
    summary: 'Sign out',
    description: 'The session of the caller ends at once, and stays ended when the host is started again.',
    responses: { 204: { description: 'Signed out', content: {} } },
    refusals: [],
  },
  beginOidcSignIn: {
    method: 'GET',
    path: '/v1/session/oidc',
    access: 'public',
    idempotent: 'always',
    tag: 'sessions',
    summary: 'Begin a sign-in with the OpenID provider of the host',
    description: 'For browsers: the answer is a redirect to the provider, which sends the browser back.',
    responses: { 302: { description: 'Go on at the provider', content: {} } },
    refusals: ['not_found'],
  },
  finishOidcSignIn: {
    method: 'GET',
    path: '/v1/session/oidc/callback',
    access: 'public',
    idempotent: 'always',
    tag: 'sessions',
    summary: 'Finish a sign-in with the OpenID provider of the host',
    description:
      'The provider sends browsers here. If a rule of the host lets the person in, the answer sets the cookie of a ' +
      'session and leads to the console.',
    query: Type.Object({ code: ReturnText, state: ReturnText, error: ReturnText, iss: ReturnText }),
    responses: { 302: { description: 'Signed in', content: {} } },
    refusals: ['not_found', 'unauthenticated', 'forbidden', 'rate_limited'],
  },
} as const satisfies Routes;
