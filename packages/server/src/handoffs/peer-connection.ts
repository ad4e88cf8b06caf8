import type { AgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import type { GuardedFetch } from '@baton/agents';
import { publicKey } from '@baton/engine';
import type { Peer } from '@baton/engine/ports';
import { HANDOFF_EXTENSION } from '@baton/protocol';
import type { PeerClients } from './peer-clients.ts';
import { faultOfNetwork, faultOfStatus, PeerFault } from './peer-fault.ts';

/** A peer whose card was read. */
interface PeerConnection {
  readonly client: Client;
  /** The host id in the card of a host of this kind, whose signature was verified. */
  readonly hostId?: string;
}

export interface PeerConnections {
  /** `traceparent` goes with every request. A cancel belongs to no effect, so it has none. */
  to(peer: Peer, traceparent?: string): Promise<PeerConnection>;
}

interface PeerConnectionsOptions {
  /** The bearer token for a request to the peer, if it needs one. */
  readonly tokenFor: (peer: Peer) => Promise<string | undefined>;
  /** For the address that the operator set. */
  readonly clients: Pick<PeerClients, 'to'>;
  /** For every other address that a card names. */
  readonly guarded: Pick<GuardedFetch, 'fetch'>;
  readonly now: () => number;
}

/** A card is read again after this time. */
const CARD_KEPT_MS = 60_000;
const REQUEST_MS = 30_000;

/** Speaks A2A with peers. The library is loaded with the first handoff. */
export function peerConnections({
  tokenFor,
  clients,
  guarded,
  now,
}: PeerConnectionsOptions): PeerConnections {
  const cards = new Map<string, { readonly card: AgentCard; readonly until: number }>();

  function fetchFor(peer: Peer, traceparent?: string): typeof fetch {
    const home = new URL(peer.url).origin;
    return async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const headers = new Headers(init?.headers);
      if (traceparent !== undefined) headers.set('traceparent', traceparent);
      // Token and certificate are for the host that the operator named, and for no other.
      const isHome = url.origin === home;
      const token = isHome ? await tokenFor(peer) : undefined;
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      const signal = AbortSignal.any([
        AbortSignal.timeout(REQUEST_MS),
        ...(init?.signal ? [init.signal] : []),
      ]);
      try {
        const send = isHome ? clients.to(peer) : guarded.fetch;
        const response = await send(url, { ...init, headers, signal });
        return await wholeAnswer(response);
      } catch (error) {
        throw faultOfNetwork(error);
      }
    };
  }

  async function cardOf(peer: Peer, fetchImpl: typeof fetch): Promise<AgentCard> {
    const key = `${peer.name} ${peer.url} ${peer.hostId ?? ''}`;
    const known = cards.get(key);
    if (known !== undefined && known.until > now()) return known.card;
    const card =
      peer.kind === 'baton' ? await signedCard(peer, fetchImpl) : await cardOfOthers(peer, fetchImpl);
    cards.set(key, { card, until: now() + CARD_KEPT_MS });
    return card;
  }

  return {
    async to(peer, traceparent) {
      const fetchImpl = fetchFor(peer, traceparent);
      const card = await cardOf(peer, fetchImpl);
      const { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } = await import(
        '@a2a-js/sdk/client'
      );
      const options = { fetchImpl, legacyCompat: { enabled: true } };
      const factory = new ClientFactory({
        transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
      });
      const client = await factory.createFromAgentCard(card);
      return { client, ...(peer.hostId !== undefined && { hostId: peer.hostId }) };
    },
  };
}

/** The body is read here, so that whatever fails later is the reading of an answer that has arrived. */
async function wholeAnswer(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const fault = faultOfStatus(response);
  if (fault === undefined) {
    const body = response.body && (await response.arrayBuffer());
    return new Response(body, { status, statusText, headers });
  }
  await response.body?.cancel();
  throw fault;
}

async function cardOfOthers({ url }: Peer, fetchImpl: typeof fetch): Promise<AgentCard> {
  const { DefaultAgentCardResolver } = await import('@a2a-js/sdk/client');
  return new DefaultAgentCardResolver({ fetchImpl, legacyCompat: { enabled: true } }).resolve(url);
}

/** The card of a host of this kind names its host id and is signed with its audit key. Both are pinned. */
async function signedCard(peer: Peer, fetchImpl: typeof fetch): Promise<AgentCard> {
  const { AgentCard: Card, canonicalizeAgentCard } = await import('@a2a-js/sdk');
  const response = await fetchImpl(new URL('/.well-known/agent-card.json', peer.url));
  const card = Card.fromJSON(await response.json());
  const extension = card.capabilities?.extensions.find(({ uri }) => uri === HANDOFF_EXTENSION);
  if (peer.hostId === undefined || extension?.params?.hostId !== peer.hostId) {
    const message = `The host at ${peer.url} does not have the host id that is registered for the peer "${peer.name}".`;
    throw new PeerFault('peer_identity_mismatch', { message });
  }
  const payload = Buffer.from(canonicalizeAgentCard(card)).toString('base64url');
  const key = publicKey(peer.auditKey ?? '', `the peer ${peer.name}`);
  const isSigned = card.signatures.some(({ protected: head, signature }) =>
    key.verifies(`${head}.${payload}`, Buffer.from(signature, 'base64url').toString('base64')),
  );
  if (isSigned) return card;
  const message = `The card of the peer "${peer.name}" is not signed with the registered audit key.`;
  throw new PeerFault('peer_identity_mismatch', { message });
}
