import type { PeerReads, RemoteCancel, RemoteCancelReads, StoreChange } from '@baton/engine/ports';
import type { Logger } from 'pino';
import type { Later } from '../progress/told-progress.ts';
import { messageIdOf } from './messages.ts';
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

const PAGE = 200;

export function remoteCancels(parts: RemoteCancelsParts): RemoteCancels {
  const { reads, settle, later, log } = parts;
  const lanes = new Map<string, CancelLane>();
  const underWay = new Set<string>();
  const active = new Set<Promise<void>>();

  function doing(work: Promise<void>): Promise<void> {
    const done = work
      .catch((err: unknown) => log.error({ err }, 'the cancels for other hosts could not be read or settled'))
      .finally(() => active.delete(done));
    active.add(done);
    return done;
  }

  let isStopped = false;
  const isReady = (runId: string) => !isStopped && !underWay.has(runId);
  const ofLane = { tell: (cancel: RemoteCancel) => tell(parts, cancel), settle, later, isReady, doing };

  function take(cancel: RemoteCancel): void {
    const lane = lanes.get(cancel.peer) ?? cancelLane(ofLane);
    lanes.set(cancel.peer, lane);
    lane.add(cancel);
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
        for (const lane of lanes.values()) lane.ready(runId);
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
      for (const lane of lanes.values()) lane.stop();
      await Promise.all(active);
    },
  };
}

async function tell(
  { reads, connections, log }: RemoteCancelsParts,
  { peer: name, task, namedBy }: RemoteCancel,
): Promise<Told> {
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

/** The cancels for one peer. They are told one after the other, so that a peer that is down is asked rarely. */
interface CancelLane {
  /** Adds a cancel, or replaces the one of the same run. It is told at once, also during a pause. */
  add(cancel: RemoteCancel): void;
  /** The cancel of this run may be told now, if there is one. */
  ready(runId: string): void;
  stop(): void;
}

/** `later`: the peer did not answer, and has to be asked again. */
type Told = 'over' | 'later';

interface CancelLaneParts {
  readonly tell: (cancel: RemoteCancel) => Promise<Told>;
  readonly settle: (cancel: RemoteCancel) => Promise<unknown>;
  /** Whether the cancel of this run may be told now. */
  readonly isReady: (runId: string) => boolean;
  /** Reports the failure of the work, and keeps the host from stopping meanwhile. */
  readonly doing: (work: Promise<void>) => Promise<void>;
  readonly later: Later;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5 * 60_000;

function cancelLane({ tell, settle, isReady, doing, later }: CancelLaneParts): CancelLane {
  const waiting = new Map<string, RemoteCancel>();
  let failures = 0;
  let isActive = false;
  let isStopped = false;
  let endPause: (() => void) | undefined;

  function begin(): void {
    if (isActive || isStopped) return;
    endPause?.();
    endPause = undefined;
    void doing(tellAll());
  }

  async function tellAll(): Promise<void> {
    isActive = true;
    try {
      for (let next = firstReady(); next !== undefined; next = firstReady()) {
        if ((await tell(next)) === 'later') return pause();
        failures = 0;
        await settle(next);
        if (waiting.get(next.runId) === next) waiting.delete(next.runId);
      }
    } finally {
      // In the same turn in which nothing was left, so that no cancel is overlooked.
      isActive = false;
    }
  }

  function firstReady(): RemoteCancel | undefined {
    for (const cancel of waiting.values()) if (isReady(cancel.runId)) return cancel;
    return undefined;
  }

  function pause(): void {
    if (isStopped) return;
    endPause = later(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), begin);
    failures += 1;
  }

  return {
    add(cancel) {
      waiting.set(cancel.runId, cancel);
      begin();
    },
    ready(runId) {
      if (waiting.has(runId)) begin();
    },
    stop() {
      isStopped = true;
      endPause?.();
    },
  };
}
