import { publicKey } from '@baton/engine';
import { type StorageLocation, storageAt } from '@baton/server/storage';
import { describedHost } from '../peers/described-host.ts';
import type { PeerFacts } from './facts.ts';
import { clockAhead } from './host-facts.ts';

/** A peer as the host lists it. */
interface KnownPeer {
  readonly name: string;
  readonly url: string;
  readonly kind: 'baton' | 'a2a';
  readonly hostId?: string;
  readonly auditKey?: { readonly keyId: string };
}

/** Asks each peer who it is. The host lists the peers; without a host, its data folder does. */
export async function peerFacts(
  listed: readonly KnownPeer[] | undefined,
  location: StorageLocation,
): Promise<readonly PeerFacts[]> {
  const peers = listed ?? (await storedPeers(location));
  return await Promise.all(peers.map(askedPeer));
}

async function storedPeers(location: StorageLocation): Promise<readonly KnownPeer[]> {
  const reads = await storageAt(location)
    .openReads()
    .catch(() => undefined);
  if (reads === undefined) return [];
  try {
    const peers = await reads.peers();
    return peers.map(({ name, url, kind, hostId, auditKey }) => ({
      name,
      url,
      kind,
      ...(hostId !== undefined && { hostId }),
      ...(auditKey !== undefined && { auditKey: publicKey(auditKey, name) }),
    }));
  } finally {
    await reads.close();
  }
}

async function askedPeer({ name, url, kind, hostId, auditKey }: KnownPeer): Promise<PeerFacts> {
  const peer = { name, url, kind };
  if (kind === 'a2a') return { ...peer, state: (await answers(url)) ? 'same' : 'unreachable' };
  try {
    const described = await describedHost(url);
    const ahead = clockAhead(described.date, Date.now());
    const clock = ahead === undefined ? {} : { clockAheadMs: ahead };
    if (described.hostId !== hostId) return { ...peer, state: 'other-host', ...clock };
    if (described.auditKey.keyId !== auditKey?.keyId) return { ...peer, state: 'other-key', ...clock };
    return { ...peer, state: 'same', ...clock };
  } catch {
    return { ...peer, state: 'unreachable' };
  }
}

/** An agent of another kind is asked for its card. */
async function answers(url: string): Promise<boolean> {
  try {
    const card = new URL('/.well-known/agent-card.json', url);
    const response = await fetch(card, { redirect: 'error', signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
