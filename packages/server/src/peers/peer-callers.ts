import { createPublicKey } from 'node:crypto';
import type { ApiKey, Peer, PeerReads } from '@baton/engine/ports';
import { BatonError, isScope, type Scope } from '@baton/protocol';
import type { JWTPayload } from 'jose';
import type { ClientCertificate } from '../auth/client-certificate.ts';
import type { Identity } from '../auth/identity.ts';
import { PEER_TOKEN_TYPE } from './peer-token.ts';

/** Finds out which peer a caller is: by a token that it has signed, by an API key, or by its certificate. */
export interface PeerCallers {
  /** `undefined` for every token that is not valid, whatever the reason: a stranger learns nothing of peers. */
  byToken(token: string): Promise<Identity | undefined>;
  /** `undefined` when the peer that the key names was removed, or is in another tenant than the key. */
  byKey(key: ApiKey): Promise<Identity | undefined>;
  /** `undefined` when the certificate is not pinned for exactly one peer, or is not valid now. */
  byCertificate(certificate: ClientCertificate): Promise<Identity | undefined>;
}

interface PeerCallersOptions {
  readonly reads: PeerReads;
  /** The id of this host. */
  readonly hostId: string;
  /** The id of the audit key of this host. */
  readonly keyId: string;
  readonly now: () => number;
}

/** The permissions of a peer, and of its runs. They count only on the routes that are open to peers. */
const PEER_SCOPES: ReadonlySet<Scope> = new Set([
  'runs:create',
  'runs:read',
  'runs:cancel',
  'approvals:respond',
]);

const PRINCIPAL = 'peer:';

/** A token may expire at most this far ahead. */
const LONGEST_S = 120;
/** How far the clocks of two hosts may differ. */
const SKEW_S = 30;
const MAX_TOKENS_OF_PEER = 50_000;
const TOKEN_ID = /^[\x21-\x7e]{8,64}$/;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Loaded with the first token, because most hosts have no peers. */
const jose = () => import('jose');

/** The principal of the holder of this key is a peer. */
export function namesPeer({ principal }: Pick<ApiKey, 'principal'>): boolean {
  return principal.startsWith(PRINCIPAL);
}

export function peerCallers({ reads, hostId, keyId, now }: PeerCallersOptions): PeerCallers {
  const forMs = (LONGEST_S + 2 * SKEW_S) * 1000;
  const used = usedOnce({ forMs, most: MAX_TOKENS_OF_PEER, now });
  const startedAt = Math.floor(now() / 1000);

  /** A token is accepted once. What was accepted before the start is not known, so older tokens are refused. */
  function isFresh(peer: Peer, { jti = '', iat = 0 }: JWTPayload): boolean {
    if (iat < startedAt) throw tryAgain('This token was made before the host was started; send a new one.');
    const use = used.use(peer.name, jti);
    if (use === 'full') throw tryAgain('This peer has sent too many tokens; wait and try again.');
    return use === 'first';
  }

  return {
    async byToken(token) {
      if (!JWT.test(token)) return undefined;
      const issuer = await issuerOf(token);
      const peer = issuer && (await reads.peers()).find((known) => known.hostId === issuer);
      if (!peer) return undefined;
      const claims = await verified(token, peer, hostId, now());
      if (claims === undefined || (claims.key ?? keyId) !== keyId) return undefined;
      if (!isFresh(peer, claims)) return undefined;
      return identityOf(peer, PRINCIPAL + peer.name, PEER_SCOPES);
    },
    async byKey(key) {
      const peer = await reads.peer(key.principal.slice(PRINCIPAL.length));
      if (peer === undefined || peer.kind !== 'baton' || peer.tenant !== key.tenant) return undefined;
      const held = key.scopes.filter(isScope).filter((scope) => PEER_SCOPES.has(scope));
      return identityOf(peer, key.id, new Set(held));
    },
    async byCertificate({ fingerprint, validFrom, validTo }) {
      if (!(validFrom <= now() && now() <= validTo)) return undefined;
      const holders = (await reads.peers()).filter(({ certificates }) => certificates?.includes(fingerprint));
      const [peer] = holders;
      if (peer?.kind !== 'baton' || holders.length > 1) return undefined;
      return identityOf(peer, PRINCIPAL + peer.name, PEER_SCOPES);
    },
  };
}

function identityOf(peer: Peer, keyId: string, scopes: ReadonlySet<Scope>): Identity {
  const { name, hostId, url, publishes, tenant } = peer;
  return {
    keyId,
    tenant,
    principal: PRINCIPAL + name,
    scopes,
    peer: { name, ...(hostId !== undefined && { hostId }), url, publishes },
  };
}

/** The host that a token claims to be from. */
async function issuerOf(token: string): Promise<string | undefined> {
  try {
    return (await jose()).decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

async function verified(
  token: string,
  { auditKey, hostId }: Peer,
  receiverId: string,
  now: number,
): Promise<JWTPayload | undefined> {
  if (auditKey === undefined || hostId === undefined) return undefined;
  const { jwtVerify } = await jose();
  try {
    const { payload } = await jwtVerify(token, createPublicKey(auditKey), {
      algorithms: ['EdDSA'],
      typ: PEER_TOKEN_TYPE,
      issuer: hostId,
      audience: receiverId,
      requiredClaims: ['iat', 'exp', 'jti'],
      clockTolerance: SKEW_S,
      currentDate: new Date(now),
    });
    return isBounded(payload, now) ? payload : undefined;
  } catch {
    return undefined;
  }
}

/** A token for several receivers could be used by one of them at another. */
function isBounded({ aud, exp = 0, iat = 0, jti }: JWTPayload, now: number): boolean {
  const latest = now / 1000 + SKEW_S;
  const isNamed = typeof jti === 'string' && TOKEN_ID.test(jti);
  return typeof aud === 'string' && isNamed && iat <= latest && exp <= latest + LONGEST_S;
}

function tryAgain(message: string): BatonError {
  return new BatonError('rate_limited', message, { retryAfter: 1 });
}

interface UsedOnceOptions {
  /** An id is remembered for at least this time. */
  readonly forMs: number;
  /** How many ids of one owner are remembered in this time. */
  readonly most: number;
  readonly now: () => number;
}

/**
 * Remembers which ids of each owner were used, for as long as an id could be sent again. Ids are kept in two
 * generations. After `forMs` the older one is dropped and a new one begins, so an id is remembered for one to
 * two times `forMs`, and no single id has to be looked for.
 */
export function usedOnce({ forMs, most, now }: UsedOnceOptions) {
  let older = new Map<string, Set<string>>();
  let newer = new Map<string, Set<string>>();
  let begun = now();

  function dropOld(): void {
    const age = now() - begun;
    if (age < forMs) return;
    older = age < 2 * forMs ? newer : new Map();
    newer = new Map();
    begun = now();
  }

  return {
    /** `full`: the owner has used too many ids at this time, and this one is not remembered. */
    use(owner: string, id: string): 'first' | 'again' | 'full' {
      dropOld();
      const ids = newer.get(owner) ?? new Set();
      if (ids.has(id) || older.get(owner)?.has(id) === true) return 'again';
      if (ids.size >= most) return 'full';
      newer.set(owner, ids.add(id));
      return 'first';
    },
  };
}
