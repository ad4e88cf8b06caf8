import { guardedFetch, type Performer } from '@baton/agents';
import type { Notice, OpenVault, SigningKey } from '@baton/engine';
import {
  PEER_ANSWER,
  PEER_CHECK,
  PEER_MEET,
  PEER_SEND,
  type Peer,
  type PeerReads,
  SHARED_TENANT,
} from '@baton/engine/ports';
import type { Logger } from 'pino';
import { peerConnections } from '../handoffs/peer-connection.ts';
import { remoteCancels } from '../handoffs/remote-cancels.ts';
import { peerToken } from '../peers/peer-token.ts';

/** What handoffs need and what is known only once the store is open. */
interface Opened {
  readonly peers: Pick<PeerReads, 'peer'>;
  readonly hostId: string;
  readonly publicUrl: () => string;
}

/** Hands work to other hosts. */
interface HostHandoffs {
  readonly performers: Readonly<Record<string, Performer>>;
  open(parts: Opened): void;
  hear(notices: readonly Notice[]): void;
  stop(): Promise<void>;
}

interface HostHandoffsOptions {
  readonly vault: Pick<OpenVault, 'secret'>;
  readonly auditKey: SigningKey;
  readonly pushKey: Buffer;
  readonly log: Logger;
}

const KINDS = [PEER_MEET, PEER_SEND, PEER_CHECK, PEER_ANSWER] as const;
type Kind = (typeof KINDS)[number];

/** Bytes of an answer of another host: the outputs of a run, and what surrounds them. */
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;

export function hostHandoffs({ vault, auditKey, pushKey, log }: HostHandoffsOptions): HostHandoffs {
  let opened: Opened | undefined;
  const operator = guardedFetch({ mode: 'operator', maxBytes: MOST_ANSWER_BYTES, maxRedirects: 0 });
  const guarded = guardedFetch({ mode: 'guarded', maxBytes: MOST_ANSWER_BYTES, maxRedirects: 0 });

  /** A secret of the operator, or a token that this host signs for the peer. */
  async function tokenFor({ secret, hostId: receiver }: Peer): Promise<string | undefined> {
    if (secret !== undefined) return vault.secret(SHARED_TENANT, secret);
    if (receiver === undefined || opened === undefined) return undefined;
    return peerToken({ hostId: opened.hostId, auditKey }, receiver, Date.now());
  }

  const connections = peerConnections({ tokenFor, operator, guarded, now: Date.now });
  const cancels = remoteCancels({ connections, later, log });
  let loaded: Promise<Readonly<Record<Kind, Performer>>> | undefined;

  /** Loaded with the first handoff, because the library of A2A takes more than a tenth of a second to load. */
  async function load() {
    const { handoffPerformers } = await import('../handoffs/performers.ts');
    return handoffPerformers({
      peers: () => opened?.peers,
      connections,
      hostId: () => opened?.hostId ?? '',
      pushUrl: (runId) => opened && `${opened.publicUrl()}/v1/a2a/pushed/${runId}`,
      pushKey,
      onFollowed: cancels.follow,
    });
  }

  function performing(kind: Kind): Performer {
    return async (effect, context) => {
      loaded ??= load();
      return (await loaded)[kind](effect, context);
    };
  }

  return {
    performers: Object.fromEntries(KINDS.map((kind) => [kind, performing(kind)])),
    open(parts) {
      opened = parts;
    },
    hear: cancels.hear,
    async stop() {
      cancels.stop();
      await Promise.all([operator.close(), guarded.close()]);
    },
  };
}

function later(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
