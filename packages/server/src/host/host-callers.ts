import type { ChangeFeed, StoreReads } from '@baton/engine/ports';
import { createKeyring } from '../auth/keyring.ts';
import type { HostContext } from '../http/context.ts';
import { peerCallers } from '../peers/peer-callers.ts';
import type { HostSettings } from '../settings.ts';

/** The id of the host, and how it recognises its callers. */
export async function hostCallers(
  reads: StoreReads,
  feed: ChangeFeed,
  { hostId: given, apiKey: operatorKey }: Pick<HostSettings, 'hostId' | 'apiKey'>,
): Promise<Pick<HostContext, 'hostId' | 'keyring'>> {
  const hostId = given ?? (await reads.hostId());
  const peers = peerCallers({ reads, hostId, now: Date.now });
  return { hostId, keyring: createKeyring({ reads, peers, feed, operatorKey, now: Date.now }) };
}
