import type { Fetch, Resolve } from '@baton/agents';
import type { Peer } from '@baton/engine/ports';
import { BatonError } from '@baton/protocol';
import type { PeerClients } from '../../handoffs/peer-clients.ts';
import { judgeTarget } from '../../webhooks/target-url.ts';

/** The addresses to which states of tasks may be sent. */

interface Registered {
  readonly tenant: string;
  /** The peers that are registered now. */
  readonly peers: () => Promise<readonly Pick<Peer, 'name' | 'url' | 'tenant' | 'tls'>[]>;
}

/**
 * The operator has set the address of a peer, so it may be a private one. Only the runs of that peer are sent there:
 * the tenant has to be the tenant of the peer.
 */
async function peerAt({ tenant, peers }: Registered, url: string) {
  const { origin } = new URL(url);
  return (await peers()).find((peer) => peer.tenant === tenant && new URL(peer.url).origin === origin);
}

interface TargetRules extends Registered {
  /** Whether the operator allows private addresses. */
  readonly allowsPrivate: boolean;
  readonly resolve?: Resolve;
}

/** Refuses an address that nothing would be sent to. */
export async function judgePushTarget(url: string, rules: TargetRules): Promise<void> {
  if (!URL.canParse(url)) {
    throw new BatonError('validation_error', 'The url of a push configuration must be a URL.', {
      field: 'url',
    });
  }
  if ((await peerAt(rules, url)) === undefined) await judgeTarget(url, rules);
}

interface Clients {
  /** Connects to allowed addresses only. */
  readonly guarded: Fetch;
  /** Connects to every address. For peers only. */
  readonly toPeers: Pick<PeerClients, 'to'>;
}

/** The client for an address, chosen when it is called: a peer may have been removed since. */
export async function clientFor(
  url: string,
  { guarded, toPeers }: Clients,
  registered: Registered,
): Promise<Fetch> {
  const peer = await peerAt(registered, url);
  return peer === undefined ? guarded : toPeers.to(peer);
}
