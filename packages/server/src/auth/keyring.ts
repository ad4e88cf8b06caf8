import { createHash, timingSafeEqual } from 'node:crypto';
import type { ResolveRoles } from '@baton/engine';
import type { ApiKey, ChangeFeed, KeyReads } from '@baton/engine/ports';
import { isScope, SCOPES } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import { namesPeer, type PeerCallers } from '../peers/peer-callers.ts';
import type { ClientCertificate } from './client-certificate.ts';
import type { Identity } from './identity.ts';
import { recentIdentities } from './recent-identities.ts';

export type { Identity } from './identity.ts';

/** Finds the caller of a request by a key, a token, a certificate or a session. */
export interface Keyring extends KeyHolders {
  /**
   * The holder of the session whose cookie the request has, or `undefined` when it has none. Rejects when the session
   * is not valid, or the request is not from a page of this host.
   */
  bySession(request: Pick<FastifyRequest, 'method' | 'headers'>): Promise<Identity | undefined>;
}

interface KeyHolders {
  /** The identity of the holder of a bearer token, if the token was identified in the last second. */
  recognise(token: string): Identity | undefined;
  /** The identity of the holder of a bearer token, or `undefined` when no valid key matches. */
  identify(token: string): Promise<Identity | undefined>;
  /** The peer that has presented a certificate, or `undefined` when no peer is known by it. */
  byCertificate(certificate: ClientCertificate): Promise<Identity | undefined>;
}

/** The holders of keys by the ids of the keys. Peers are left out. */
export interface KeyOwners {
  readonly operator: Identity;
  /** `undefined` for a key that was revoked or never existed. */
  ownerOf(keyId: string): Promise<Identity | undefined>;
}

export const OPERATOR_TENANT = 'default';
export const OPERATOR = 'operator';

interface KeyringOptions {
  readonly reads: Pick<KeyReads, 'keyByHash' | 'key'>;
  readonly peers: PeerCallers;
  readonly feed: ChangeFeed;
  readonly operatorKey: string;
  readonly now: () => number;
}

/** Keys are stored as digests, so that a reader of the data folder cannot use them. */
export function createKeyring({
  reads,
  peers,
  feed,
  operatorKey,
  now,
}: KeyringOptions): KeyHolders & KeyOwners {
  const operatorDigest = sha256(operatorKey);
  const operator: Identity = {
    keyId: 'operator',
    tenant: OPERATOR_TENANT,
    principal: OPERATOR,
    scopes: new Set(SCOPES),
  };
  const recent = recentIdentities(feed, now);

  async function holderOf(token: string): Promise<Identity | undefined> {
    const digest = sha256(token);
    if (timingSafeEqual(digest, operatorDigest)) return operator;
    const key = await reads.keyByHash(digest.toString('hex'));
    if (key === undefined || key.revokedAt !== undefined) return undefined;
    return namesPeer(key) ? peers.byKey(key) : identityOf(key);
  }

  return {
    operator,
    recognise: recent.get,
    async identify(token) {
      const identity = await recent.find(token, () => holderOf(token));
      // A token that a peer has signed is accepted once, so it is not remembered as a key is.
      return identity ?? peers.byToken(token);
    },
    byCertificate: peers.byCertificate,
    async ownerOf(keyId) {
      const key = await reads.key(keyId);
      if (key === undefined || key.revokedAt !== undefined || namesPeer(key)) return undefined;
      return identityOf(key);
    },
  };
}

function identityOf({ id, tenant, principal, scopes }: ApiKey): Identity {
  return { keyId: id, tenant, principal, scopes: new Set(scopes.filter(isScope)) };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The roles of a principal are the roles of all valid keys that it holds now. */
export async function rolesOf(reads: Pick<KeyReads, 'keys'>, tenant: string): Promise<ResolveRoles> {
  const keys = await reads.keys();
  return (principal) => {
    if (tenant === OPERATOR_TENANT && principal === OPERATOR) return ['operator'];
    const held = keys.filter(
      (key) => key.tenant === tenant && key.principal === principal && key.revokedAt === undefined,
    );
    return held.length === 0 ? undefined : [...new Set(held.flatMap((key) => key.roles ?? []))];
  };
}
