import type { SigningKey } from '@baton/engine';
import type { ChangeFeed, StoreReads } from '@baton/engine/ports';
import type { Logger } from 'pino';
import { createKeyring, type Keyring } from '../auth/keyring.ts';
import { type StandingAccess, standingAccess } from '../auth/standing-access.ts';
import { peerCallers } from '../peers/peer-callers.ts';
import { signInLink } from '../sessions/sign-in-codes.ts';
import type { HostSettings } from '../settings.ts';
import type { StoredEndings } from '../storage/open-storage.ts';
import { type HostPeople, hostPeople } from './host-people.ts';

/** The name of a host among other hosts, and the callers that it recognises. */
interface HostCallers {
  readonly hostId: string;
  readonly keyring: Keyring;
  readonly people: HostPeople;
  readonly access: StandingAccess;
  /** See `Host`. */
  operatorLink(lifetimeMs?: number): string;
}

interface CallersParts {
  readonly settings: HostSettings;
  readonly auditKey: Pick<SigningKey, 'keyId'>;
  /** The key of the host from which others are derived. */
  readonly pushKey: Buffer;
  readonly reads: StoreReads;
  readonly engine: ChangeFeed;
  readonly storage: StoredEndings;
  readonly publicUrl: () => string;
  readonly log: Logger;
}

export async function hostCallers(parts: CallersParts): Promise<HostCallers> {
  const { settings, auditKey, pushKey, reads, engine, storage, publicUrl, log } = parts;
  const hostId = settings.hostId ?? (await reads.hostId());
  const peers = peerCallers({ reads, hostId, keyId: auditKey.keyId, now: Date.now });
  const keys = createKeyring({ reads, peers, feed: engine, operatorKey: settings.apiKey, now: Date.now });
  const { people, bySession } = await hostPeople({
    settings,
    tokenKey: pushKey,
    keys,
    endings: storage,
    feed: engine,
    log,
  });
  const { sessions, issueCode } = people;
  return {
    hostId,
    keyring: { ...keys, bySession },
    people,
    access: standingAccess({ stands: sessions.stands, repeat }),
    operatorLink: (lifetimeMs) =>
      signInLink(publicUrl(), issueCode(sessions.holderOf(keys.operator), lifetimeMs)),
  };
}

function repeat(work: () => void, everyMs: number): () => void {
  const timer = setInterval(work, everyMs).unref();
  return () => clearInterval(timer);
}
