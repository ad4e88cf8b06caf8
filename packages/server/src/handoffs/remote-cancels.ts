import type { PeerReads, RemoteCancel, RemoteCancelReads, StoreChange } from '@baton/engine/ports';
import type { Logger } from 'pino';
import type { Later } from '../progress/coalesced.ts';
import { messageIdOf } from './message-id.ts';
import type { PeerConnections } from './peer-connection.ts';
import { faultOf } from './peer-fault.ts';

/**
 * Tells other hosts to cancel the work of runs that have ended here without its result. The store has a row for each
 * such run until its peer has answered, so a crash loses nothing. A cancel that is told twice does no harm.
 */
export interface RemoteCancels {
  /**
   * The message with the work of this run is on its way. Its cancel waits until the answer has come, because the peer
   * could get the cancel before the message.
   */
  sending(runId: string, answered: Promise<unknown>): void;
  /** Reads the stored cancels, and begins. */
  start(): Promise<void>;
  hear(change: StoreChange): void;
  stop(): Promise<void>;
}

interface RemoteCancelsParts {
  readonly reads: RemoteCancelReads & Pick<PeerReads, 'peer'>;
  readonly connections: PeerConnections;
  /** Removes a stored cancel. */
  readonly settle: (cancel: RemoteCancel) => Promise<unknown>;
  readonly later: Later;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** The cancels for one peer. They are told one after the other, so that a peer that is down is asked rarely. */
interface Lane {
  readonly waiting: Map<string, RemoteCancel>;
  failures: number;
  isActive: boolean;
  endPause?: (() => void) | undefined;
}

const PAGE = 200;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5 * 60_000;

export function remoteCancels(parts: RemoteCancelsParts): RemoteCancels {
  const { reads, settle, later, log } = parts;
  const lanes = new Map<string, Lane>();
  const underWay = new Set<string>();
  const active = new Set<Promise<void>>();
  let isStopped = false;

  function doing(work: Promise<void>): Promise<void> {
    const done = work
      .catch((err: unknown) => log.error({ err }, 'the cancels for other hosts could not be read or settled'))
      .finally(() => active.delete(done));
    active.add(done);
    return done;
  }

  function take(cancel: RemoteCancel): void {
    const lane = lanes.get(cancel.peer) ?? { waiting: new Map(), failures: 0, isActive: false };
    lanes.set(cancel.peer, lane);
    lane.waiting.set(cancel.runId, cancel);
    begin(lane);
  }

  function begin(lane: Lane): void {
    if (isStopped || lane.isActive) return;
    lane.endPause?.();
    lane.endPause = undefined;
    void doing(tellAll(lane));
  }

  async function tellAll(lane: Lane): Promise<void> {
    lane.isActive = true;
    try {
      for (let next = nextIn(lane); next !== undefined && !isStopped; next = nextIn(lane)) {
        if ((await tell(parts, next)) === 'later') return pause(lane);
        lane.failures = 0;
        await settle(next);
        if (lane.waiting.get(next.runId) === next) lane.waiting.delete(next.runId);
      }
    } finally {
      // In the same turn in which nothing was left, so that no cancel is overlooked.
      lane.isActive = false;
    }
  }

  function nextIn({ waiting }: Lane): RemoteCancel | undefined {
    for (const cancel of waiting.values()) if (!underWay.has(cancel.runId)) return cancel;
    return undefined;
  }

  function pause(lane: Lane): void {
    if (isStopped) return;
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** lane.failures, LONGEST_PAUSE_MS);
    lane.failures += 1;
    lane.endPause = later(ms, () => begin(lane));
  }

  async function readAll(): Promise<void> {
    let last: RemoteCancel | undefined;
    do {
      const page: readonly RemoteCancel[] = await reads.remoteCancels(last?.runId, PAGE);
      for (const cancel of page) take(cancel);
      last = page.at(-1);
    } while (last !== undefined);
  }

  async function readOne(runId: string): Promise<void> {
    const cancel = await reads.remoteCancel(runId);
    if (cancel !== undefined) take(cancel);
  }

  return {
    sending(runId, answered) {
      underWay.add(runId);
      const over = () => {
        underWay.delete(runId);
        for (const lane of lanes.values()) if (lane.waiting.has(runId)) begin(lane);
      };
      answered.then(over, over);
    },
    start: () => doing(readAll()),
    hear(change) {
      if (change.kind === 'remote-cancel') void doing(readOne(change.runId));
      else if (change.kind === 'missed') void doing(readAll());
    },
    async stop() {
      isStopped = true;
      for (const { endPause } of lanes.values()) endPause?.();
      await Promise.all(active);
    },
  };
}

async function tell(
  { reads, connections, log }: RemoteCancelsParts,
  { peer: name, task, namedBy }: RemoteCancel,
): Promise<'over' | 'later'> {
  const warn = (code: string) =>
    log.warn({ peer: name, task, code }, 'the work on another host could not be cancelled');
  try {
    const peer = await reads.peer(name);
    if (peer === undefined) {
      warn('peer_unknown');
      return 'over';
    }
    const { client } = await connections.to(peer);
    const id = namedBy === 'id' ? task : messageIdOf(task);
    await client.cancelTask({ tenant: '', id, metadata: undefined });
    return 'over';
  } catch (error) {
    const { code, retryable } = faultOf(error);
    if (retryable) return 'later';
    // A task that has ended, or that the peer does not know, needs no cancel.
    if (code !== 'peer_rejected' && code !== 'remote_run_lost') warn(code);
    return 'over';
  }
}
