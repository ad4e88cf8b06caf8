import { createHash, timingSafeEqual } from 'node:crypto';
import type { ChangeFeed, KeyReads } from '@baton/engine/ports';
import { namesPeer, type PeerCallers } from '../peers/peer-callers.ts';
import type { ClientCertificate } from './client-certificate.ts';
import type { Identity } from './identity.ts';
import { isScope, SCOPES } from './scopes.ts';

export type { Identity } from './identity.ts';

export interface Keyring {
  /** The identity of the holder of a bearer token, if the token was identified in the last second. */
  recognise(token: string): Identity | undefined;
  /** The identity of the holder of a bearer token, or `undefined` when no valid key matches. */
  identify(token: string): Promise<Identity | undefined>;
  /** The peer that has presented a certificate, or `undefined` when no peer is known by it. */
  byCertificate(certificate: ClientCertificate): Promise<Identity | undefined>;
}

export const OPERATOR_TENANT = 'default';
export const OPERATOR = 'operator';

/** A key that another process has revoked, such as `baton keys revoke`, stops working within this time. */
const RECOGNISED_MS = 1000;
const MAX_RECOGNISED = 1000;

interface KeyringOptions {
  readonly reads: Pick<KeyReads, 'keyByHash'>;
  readonly peers: PeerCallers;
  readonly feed: ChangeFeed;
  readonly operatorKey: string;
  readonly now: () => number;
}

/** Keys are stored as digests, so that a reader of the data folder cannot use them. */
export function createKeyring({ reads, peers, feed, operatorKey, now }: KeyringOptions): Keyring {
  const operatorDigest = sha256(operatorKey);
  const operator: Identity = {
    keyId: 'operator',
    tenant: OPERATOR_TENANT,
    principal: OPERATOR,
    scopes: new Set(SCOPES),
  };
  /** Valid keys that were used in the last second. Busy callers do not cost a digest for each request. */
  const recognised = new Map<string, { readonly identity: Identity; readonly until: number }>();

  /** Counts changes of keys and peers. A key that was looked up before a change may no longer be the stored one. */
  let changes = 0;
  feed.changes(({ kind }) => {
    if (kind !== 'key' && kind !== 'peer' && kind !== 'missed') return;
    changes += 1;
    recognised.clear();
  });

  async function holderOf(token: string): Promise<Identity | undefined> {
    const digest = sha256(token);
    if (timingSafeEqual(digest, operatorDigest)) return operator;
    const key = await reads.keyByHash(digest.toString('hex'));
    if (key === undefined || key.revokedAt !== undefined) return undefined;
    if (namesPeer(key)) return peers.byKey(key);
    const scopes = new Set(key.scopes.filter(isScope));
    return { keyId: key.id, tenant: key.tenant, principal: key.principal, scopes };
  }

  return {
    recognise(token) {
      const known = recognised.get(token);
      return known !== undefined && known.until > now() ? known.identity : undefined;
    },
    async identify(token) {
      // A key may be revoked while it is looked up, so its second begins before the look-up.
      const until = now() + RECOGNISED_MS;
      const before = changes;
      const identity = await holderOf(token);
      recognised.delete(token);
      if (recognised.size >= MAX_RECOGNISED) recognised.clear();
      if (identity !== undefined && changes === before) recognised.set(token, { identity, until });
      // A token that a peer has signed is accepted once, so it is not remembered as a key is.
      return identity ?? peers.byToken(token);
    },
    byCertificate: peers.byCertificate,
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
