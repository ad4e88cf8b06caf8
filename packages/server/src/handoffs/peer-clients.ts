import { isDeepStrictEqual } from 'node:util';
import { type ClientTls, type Fetch, type FetchBounds, fetchTo, type GuardedFetch } from '@baton/agents';
import type { Peer } from '@baton/engine/ports';
import type { Logger } from 'pino';
import { readClientTls } from '../peers/tls-files.ts';
import { PeerFault } from './peer-fault.ts';

/** HTTP clients for the addresses of peers, which the operator has set. */
export interface PeerClients {
  /** A client that presents the certificate for this peer, if there is one. It must be used for no other host. */
  to(peer: Pick<Peer, 'name' | 'tls'>): Fetch;
  stop(): Promise<void>;
}

interface PeerClientsOptions {
  readonly bounds: Omit<FetchBounds, 'tls' | 'maxRedirects'>;
  readonly log: Pick<Logger, 'warn'>;
}

export function peerClients({ bounds, log }: PeerClientsOptions): PeerClients {
  const clientWith = (tls: ClientTls) => fetchTo(() => true, { ...bounds, maxRedirects: 0, tls });
  const common = clientWith({});
  /** By the names of peers. A client keeps connections that were made with the files as they were read. */
  const own = new Map<string, { readonly tls: ClientTls; readonly client: GuardedFetch }>();

  function clientOf(name: string, tls: ClientTls): GuardedFetch {
    const known = own.get(name);
    if (known !== undefined && isDeepStrictEqual(known.tls, tls)) return known.client;
    void known?.client.retire();
    const client = clientWith(tls);
    own.set(name, { tls, client });
    return client;
  }

  return {
    to({ name, tls }) {
      if (tls === undefined) return common.fetch;
      return async (url, init) => clientOf(name, tlsIn(tls, name, log)).fetch(url, init);
    },
    async stop() {
      const clients = [...own.values()].map(({ client }) => client);
      await Promise.all([common, ...clients].map(({ close }) => close()));
    },
  };
}

/** The tenant of the run learns that the certificate cannot be used. The names of files are for the operator. */
function tlsIn(tls: NonNullable<Peer['tls']>, peer: string, log: Pick<Logger, 'warn'>): ClientTls {
  try {
    return readClientTls(tls);
  } catch (error) {
    log.warn({ peer, reason: error instanceof Error ? error.message : undefined }, UNUSABLE);
    const message = `${UNUSABLE} "${peer}"; its operator finds the reason in the log.`;
    throw new PeerFault('peer_unreachable', { message, retryable: true, refused: true });
  }
}

const UNUSABLE = 'This host cannot use its certificate files for the peer';
