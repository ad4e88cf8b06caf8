import type { CallOptions, Connection } from './http/connection.ts';
import type { Answer } from './http/contract-types.ts';
import { ask } from './http/request.ts';

/** Who the caller is and what the caller may do. */
export type SessionInfo = Answer<'readSession'>;
/** A code that signs a browser in once, and the address of the console with it. */
export type SignInCode = Answer<'createSignInCode'>;
/** The ways in which people can sign in to a host. */
export type SignInWays = Answer<'readSignInWays'>;

/**
 * The caller itself, and browser sessions. A session is a cookie, which browsers keep and send by themselves; other
 * programs send a key with each request and need none.
 */
export interface SessionOperations {
  /** Who the caller is, by its key or its session. */
  read(options?: CallOptions): Promise<SessionInfo>;
  ways(options?: CallOptions): Promise<SignInWays>;
  /** Makes a code for the key of the caller. It is valid for ten minutes, and once. */
  createCode(options?: CallOptions): Promise<SignInCode>;
  /** Signs a browser in. */
  signIn(
    credential: { readonly code: string } | { readonly key: string },
    options?: CallOptions,
  ): Promise<SessionInfo>;
  signOut(options?: CallOptions): Promise<void>;
}

export function sessionOperations(connection: Connection): SessionOperations {
  return {
    read: (options) => ask(connection, 'readSession', options),
    ways: (options) => ask(connection, 'readSignInWays', options),
    createCode: (options) => ask(connection, 'createSignInCode', options),
    signIn: (credential, options) => ask(connection, 'signIn', { body: credential, ...options }),
    signOut: (options) => ask(connection, 'signOut', options),
  };
}
