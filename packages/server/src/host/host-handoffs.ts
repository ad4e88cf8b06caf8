import { guardedFetch, type Performer } from '@baton/agents';
import { type OpenVault, publicKey, type SigningKey } from '@baton/engine';
import {
  PEER_ANSWER,
  PEER_CHECK,
  PEER_MEET,
  PEER_SEND,
  type Peer,
  type PeerReads,
  type RemoteCancel,
  type RemoteCancelReads,
  SHARED_TENANT,
} from '@baton/engine/ports';
import type { Logger } from 'pino';
import { peerClients } from '../handoffs/peer-clients.ts';
import { peerConnections } from '../handoffs/peer-connection.ts';
import { type RemoteCancels, remoteCancels } from '../handoffs/remote-cancels.ts';
import { peerToken } from '../peers/peer-token.ts';
import type { ThreadedEngine } from '../thread/threaded-engine.ts';
import { unreferenced } from './timers.ts';

/** What handoffs need and what is known only once the store is open. */
interface Opened {
  readonly reads: Pick<PeerReads, 'peer'> & RemoteCancelReads;
  readonly engine: Pick<ThreadedEngine, 'execute' | 'changes'>;
  readonly hostId: string;
  readonly publicUrl: () => string;
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

/** Hands work to other hosts. */
export function hostHandoffs({ vault, auditKey, pushKey, log }: HostHandoffsOptions) {
  let opened: Opened | undefined;
  const clients = peerClients({ bounds: { maxBytes: MOST_ANSWER_BYTES }, log });
  const guarded = guardedFetch({ mode: 'guarded', maxBytes: MOST_ANSWER_BYTES, maxRedirects: 0 });

  /** A secret of the operator, or a token that this host signs for the peer. A certificate needs neither. */
  async function tokenFor({
    secret,
    tls,
    hostId: receiver,
    auditKey: pinned,
  }: Peer): Promise<string | undefined> {
    if (tls?.certificate !== undefined) return undefined;
    if (secret !== undefined) return vault.secret(SHARED_TENANT, secret);
    if (receiver === undefined || opened === undefined) return undefined;
    const receiverKey =
      pinned === undefined ? undefined : publicKey(pinned, 'the pinned key of a peer').keyId;
    return peerToken({ hostId: opened.hostId, auditKey }, receiver, Date.now(), receiverKey);
  }

  const connections = peerConnections({ tokenFor, clients, guarded, now: Date.now });
  let cancels: RemoteCancels | undefined;
  let loaded: Promise<Readonly<Record<Kind, Performer>>> | undefined;

  /** Loaded with the first handoff, because the library of A2A takes more than a tenth of a second to load. */
  async function load() {
    const { handoffPerformers } = await import('../handoffs/performers.ts');
    return handoffPerformers({
      peers: () => opened?.reads,
      connections,
      hostId: () => opened?.hostId ?? '',
      pushUrl: (runId) => opened && `${opened.publicUrl()}/v1/a2a/pushed/${runId}`,
      pushKey,
      onSending: (runId, sent) => cancels?.sending(runId, sent),
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
    open(parts: Opened): void {
      opened = parts;
      const { reads, engine } = parts;
      const settle = (cancel: RemoteCancel) => engine.execute({ kind: 'settle-remote-cancel', cancel });
      cancels = remoteCancels({ reads, connections, settle, later: unreferenced, log });
      engine.changes(cancels.hear);
    },
    /** Begins to tell peers of work that is no longer wanted. */
    start: async () => cancels?.start(),
    async stop(): Promise<void> {
      await cancels?.stop();
      await Promise.all([clients.stop(), guarded.close()]);
    },
  };
}
