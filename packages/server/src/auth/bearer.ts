import type { Caller } from '@baton/engine';
import type { Access, Scope } from '@baton/protocol';
import { BatonError } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import { type ClientCertificate, certificateOf } from './client-certificate.ts';
import type { Identity, Keyring } from './keyring.ts';

/** Finds the identity of a caller by an `Authorization` header, a session or a certificate, and checks its scopes. */

const BEARER = /^Bearer +([\x21-\x7e]{1,1024})$/i;

/** The identity of a caller whose key was used in the last second. It needs no look-up in the store. */
export function recognise(keyring: Keyring, request: FastifyRequest): Identity | undefined {
  const token = tokenOf(request);
  const known = token === undefined ? undefined : keyring.recognise(token);
  // The certificate of a peer has to be looked up.
  return known?.peer !== undefined && certificateOf(request.raw.socket) !== undefined ? undefined : known;
}

/**
 * A caller that sends a header is judged by the header, whatever else it sends. The cookie of a session comes next: a
 * browser may also present a certificate that has nothing to do with peers. A certificate alone counts for peers only.
 */
export async function authenticate(keyring: Keyring, request: FastifyRequest): Promise<Identity> {
  const certificate = certificateOf(request.raw.socket);
  if (request.headers.authorization === undefined) return withoutHeader(keyring, request, certificate);
  const token = tokenOf(request);
  if (token === undefined) throw new BatonError('unauthenticated');
  const identity = keyring.recognise(token) ?? (await keyring.identify(token));
  if (identity === undefined) {
    throw new BatonError('unauthenticated', 'This API key or token is not known, or no longer valid.');
  }
  if (identity.peer !== undefined && certificate !== undefined) {
    const holder = await keyring.byCertificate(certificate);
    if (holder !== undefined && holder.principal !== identity.principal) {
      throw new BatonError('unauthenticated', 'The token and the certificate are of two different hosts.');
    }
  }
  return identity;
}

async function withoutHeader(
  keyring: Keyring,
  request: FastifyRequest,
  certificate: ClientCertificate | undefined,
): Promise<Identity> {
  const person = request.headers.cookie === undefined ? undefined : await keyring.bySession(request);
  if (person !== undefined) return person;
  if (certificate === undefined) throw new BatonError('unauthenticated');
  const peer = await keyring.byCertificate(certificate);
  if (peer !== undefined) return peer;
  throw new BatonError('unauthenticated', 'This certificate is not known, or not valid now.');
}

function tokenOf(request: FastifyRequest): string | undefined {
  return BEARER.exec(request.headers.authorization ?? '')?.[1];
}

/** For the routes that are not open to peers. */
export function refusePeers(identity: Identity): void {
  if (identity.peer !== undefined) throw new BatonError('forbidden', 'Other hosts may not use this address.');
}

export function requireAccess(identity: Identity, access: Exclude<Access, 'public'>): void {
  if (access !== 'authenticated') requireScope(identity, access);
}

export function requireScope(identity: Identity, scope: Scope): void {
  if (!identity.scopes.has(scope)) {
    throw new BatonError('forbidden', `This key does not have the scope "${scope}".`, { scope });
  }
}

/** The identity that the route's guard has put on the request. */
export function identityOf(request: FastifyRequest): Identity {
  if (request.identity === null) throw new BatonError('unauthenticated');
  return request.identity;
}

export function callerOf(request: FastifyRequest): Caller {
  const { tenant, principal } = identityOf(request);
  return { tenant, principal };
}
