import { createHmac, randomBytes } from 'node:crypto';
import type { ChangeFeed } from '@baton/engine/ports';
import type { Identity } from '../auth/identity.ts';
import type { KeyOwners } from '../auth/keyring.ts';
import { recentIdentities } from '../auth/recent-identities.ts';
import { keyStands } from '../auth/standing-access.ts';
import type { StoredEndings } from '../storage/open-storage.ts';
import { PERSON } from './oidc/people-by-rules.ts';
import {
  derivedKey,
  opened,
  type Person,
  type SessionClaim,
  type SessionHolder,
  signed,
} from './session-token.ts';

/**
 * Browser sessions. A session is a signed text that names its holder and its end; nothing is stored for an open one.
 * The rights of the holder are looked up when the session is used, so that they are always the present ones.
 */
export interface Sessions {
  /** The holder that sessions and codes of this identity have. Peers have no sessions. */
  holderOf(identity: Identity): SessionHolder;
  /** A new session; `undefined` when its holder has no rights any more. */
  open(holder: SessionHolder): Promise<OpenedSession | undefined>;
  identify(token: string): Promise<Identity | undefined>;
  /** Whether a caller, with a session or a key, still has all the rights with which it was identified. */
  stands(identity: Identity): Promise<boolean>;
  /** Ends the session of a caller. It stays ended when the host is started again. */
  end(identity: Identity): Promise<void>;
}

export interface OpenedSession {
  readonly token: string;
  readonly identity: Identity;
}

export const SESSION_MS = 12 * 60 * 60 * 1000;

interface SessionsOptions {
  /** The key of the host from which the key that signs sessions is derived. */
  readonly tokenKey: Buffer;
  readonly operatorKey: string;
  readonly owners: KeyOwners;
  /** The rights of somebody who signed in with an OpenID provider, or `undefined` when no rule gives any. */
  readonly personOf: (person: Person) => Identity | undefined;
  readonly endings: StoredEndings;
  readonly feed: ChangeFeed;
  readonly now: () => number;
}

export async function createSessions(options: SessionsOptions): Promise<Sessions> {
  const { tokenKey, operatorKey, owners, personOf, endings, feed, now } = options;
  const key = derivedKey(tokenKey, 'session');
  const operatorProof = createHmac('sha256', key).update(operatorKey).digest('base64url').slice(0, 22);
  const recent = recentIdentities(feed, now);
  const ended = new Map((await endings.endedSessions(now())).map(({ id, until }) => [id, until]));

  feed.changes((change) => {
    if (change.kind === 'session') ended.set(change.id, change.until);
  });

  async function ownerOf(holder: SessionHolder): Promise<Identity | undefined> {
    switch (holder.kind) {
      case 'operator':
        return holder.proof === operatorProof ? owners.operator : undefined;
      case 'key': {
        const owner = await owners.ownerOf(holder.keyId);
        return owner?.tenant === holder.tenant ? owner : undefined;
      }
      case 'person':
        return personOf(holder);
    }
  }

  async function lookUp(token: string): Promise<Identity | undefined> {
    const claim = opened(key, token) as SessionClaim | undefined;
    if (claim === undefined) return undefined;
    const { id, expiresAt, holder } = claim;
    const owner = await ownerOf(holder);
    return owner && { ...owner, session: { id, expiresAt } };
  }

  const isOpen = ({ session }: Identity): boolean =>
    session !== undefined && session.expiresAt > now() && !ended.has(session.id);

  return {
    holderOf({ keyId, tenant }) {
      return keyId === owners.operator.keyId
        ? { kind: 'operator', proof: operatorProof }
        : { kind: 'key', keyId, tenant };
    },
    async open(holder) {
      const owner = await ownerOf(holder);
      if (owner === undefined) return undefined;
      const claim = { id: randomBytes(16).toString('base64url'), expiresAt: now() + SESSION_MS, holder };
      const { id, expiresAt } = claim;
      return {
        token: signed(key, claim satisfies SessionClaim),
        identity: { ...owner, session: { id, expiresAt } },
      };
    },
    async identify(token) {
      const identity = recent.get(token) ?? (await recent.find(token, () => lookUp(token)));
      return identity !== undefined && isOpen(identity) ? identity : undefined;
    },
    async stands(identity) {
      if (identity.session !== undefined && !isOpen(identity)) return false;
      // Peers are watched by nobody here, and the rules for people change with a start of the host only.
      if (identity.peer !== undefined || identity.keyId.startsWith(PERSON)) return true;
      return keyStands(owners, identity);
    },
    async end({ session }) {
      if (session === undefined || ended.has(session.id)) return;
      for (const [id, until] of ended) if (until <= now()) ended.delete(id);
      ended.set(session.id, session.expiresAt);
      await endings.addEndedSession({ id: session.id, until: session.expiresAt });
    },
  };
}
