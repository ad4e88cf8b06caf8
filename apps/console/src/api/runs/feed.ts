import type { RunRow } from './run-row.ts';

/** What the live feed of runs brings: a run that has changed, or the notice that changes may have been missed. */
export type FeedItem = { readonly kind: 'run'; readonly run: RunRow } | { readonly kind: 'reset' };

type Watch = (signal: AbortSignal) => AsyncIterable<FeedItem>;

interface Following {
  readonly watch: Watch;
  /** The newest state of every run that has changed since the last call. */
  readonly changed: (runs: ReadonlyMap<string, RunRow>) => void;
  /** Changes may have been missed: everything has to be read again. */
  readonly missed: () => void;
  readonly connected: (isConnected: boolean) => void;
  readonly failed: (error: unknown) => void;
  /** Calls back when the device was asleep or the network has returned, and the connection may be dead. */
  readonly onWake: (wake: () => void) => () => void;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Changes are collected for this long, so that a busy host does not make the page draw for every event. */
const GATHERED_MS = 150;
const AGAIN_MS = 3_000;

/**
 * Follows the feed until the signal ends it, over as many connections as it takes: after an error, after the host was
 * restarted, and after the device was asleep.
 */
export async function followFeed(following: Following, signal: AbortSignal): Promise<void> {
  const { watch, missed, connected, failed, onWake, wait } = following;
  const gather = gathering(following, signal);
  while (!signal.aborted) {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    signal.addEventListener('abort', stop, { once: true });
    const forget = onWake(stop);
    try {
      for await (const item of watch(attempt.signal)) {
        connected(true);
        if (item.kind === 'reset') missed();
        else gather(item.run);
      }
    } catch (error) {
      if (!attempt.signal.aborted) failed(error);
    } finally {
      forget();
      signal.removeEventListener('abort', stop);
    }
    if (signal.aborted) return;
    if (attempt.signal.aborted) continue;
    connected(false);
    await wait(AGAIN_MS, signal).catch(() => undefined);
  }
}

function gathering({ changed, wait }: Following, signal: AbortSignal): (run: RunRow) => void {
  let gathered = new Map<string, RunRow>();
  return (run) => {
    gathered.set(run.runId, run);
    if (gathered.size > 1) return;
    const give = () => {
      const runs = gathered;
      gathered = new Map();
      changed(runs);
    };
    wait(GATHERED_MS, signal).then(give, () => undefined);
  };
}
