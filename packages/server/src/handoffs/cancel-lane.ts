import type { RemoteCancel } from '@baton/engine/ports';
import type { Later } from '../progress/coalesced.ts';

/** The cancels for one peer. They are told one after the other, so that a peer that is down is asked rarely. */
export interface CancelLane {
  /** Adds a cancel, or replaces the one of the same run. It is told at once, also during a pause. */
  add(cancel: RemoteCancel): void;
  /** The cancel of this run may be told now, if there is one. */
  ready(runId: string): void;
  stop(): void;
}

/** `later`: the peer did not answer, and has to be asked again. */
export type Told = 'over' | 'later';

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

export function cancelLane({ tell, settle, isReady, doing, later }: CancelLaneParts): CancelLane {
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
