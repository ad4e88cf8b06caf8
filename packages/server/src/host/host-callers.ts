import type { SigningKey } from '@baton/engine';
import type { ChangeFeed, StoreReads } from '@baton/engine/ports';
import { createKeyring, type Keyring } from '../auth/keyring.ts';
import { peerCallers } from '../peers/peer-callers.ts';
import type { HostSettings } from '../settings.ts';

/** The name of a host among other hosts, and the callers that it recognises. */
interface HostCallers {
  readonly hostId: string;
  readonly keyring: Keyring;
}

export async function hostCallers(
  settings: Pick<HostSettings, 'hostId' | 'apiKey'>,
  auditKey: Pick<SigningKey, 'keyId'>,
  reads: StoreReads,
  feed: ChangeFeed,
): Promise<HostCallers> {
  const hostId = settings.hostId ?? (await reads.hostId());
  const peers = peerCallers({ reads, hostId, keyId: auditKey.keyId, now: Date.now });
  const keyring = createKeyring({ reads, peers, feed, operatorKey: settings.apiKey, now: Date.now });
  return { hostId, keyring };
}
