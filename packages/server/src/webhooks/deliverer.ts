import type { Notice } from '@baton/engine';
import type {
  Backlogs,
  ChangeFeed,
  StoreChange,
  WebhookReads,
  WebhookRecord,
  WebhookWrite,
} from '@baton/engine/ports';
import type { Logger } from 'pino';
import { oneAtATime } from '../secrets/one-at-a-time.ts';
import type { MayRead } from './creators.ts';
import { delivering } from './delivery.ts';
import { dispatching } from './dispatching.ts';
import { type FollowedWebhook, type FollowedWebhooks, followedWebhooks } from './followed-webhooks.ts';
import { type Posting, postMessage } from './post-message.ts';
import { queueing, repeated } from './queueing.ts';
import { outcomes, settling } from './settling.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { TraceReads } from './traces-of-runs.ts';

interface DelivererParts extends Omit<Posting, 'stopping'> {
  readonly reads: WebhookReads & TraceReads;
  readonly feed: ChangeFeed & { onNotices(listener: (notices: readonly Notice[]) => void): void };
  /** Resolves when the change is stored. */
  readonly write: (write: WebhookWrite) => Promise<Backlogs>;
  readonly open: (webhook: WebhookRecord) => Promise<SigningKeys | undefined>;
  /** Whether the creator of a webhook may still read runs. */
  readonly mayRead: MayRead;
  readonly random: () => number;
  /** A webhook with so many waiting runs looks at no further events. */
  readonly mostWaiting?: number;
  /** How long events and outcomes are gathered before they are stored together. */
  readonly gatherMs?: number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Delivers events to webhooks. Three parts work after each other, and each begins where the store says it has come to:
 * queueing finds the events that webhooks want, dispatching begins deliveries whose time has come, and settling stores
 * their outcomes. So after a crash nothing is lost, and at most the deliveries under way are repeated.
 */
interface Deliverer {
  /** Reads the stored webhooks, and begins. */
  start(): Promise<void>;
  /** Ends the requests under way; the next start repeats their deliveries. */
  stop(): Promise<void>;
}

const PAUSE_MS = 1_000;
const MOST_WAITING = 1_000;
/** Each write is a transaction of its own, with a sync of the disk. Without a pause, each commit of runs has one more. */
const GATHER_MS = 20;

export function deliverer(parts: DelivererParts): Deliverer {
  const { reads, feed, write, now, random, after, log } = parts;
  const { mostWaiting = MOST_WAITING, gatherMs = GATHER_MS } = parts;
  const isFull = ({ backlog }: Pick<FollowedWebhook, 'backlog'>): boolean => backlog >= mostWaiting;
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  const onProblem = (err: unknown) => {
    if (!isStopping()) log.error({ err }, 'a delivery of a webhook could not be handled');
  };
  const pausing = pauses(after);
  const pause = () => pausing.pause(PAUSE_MS);
  const gather = gatherMs > 0 ? () => pausing.pause(gatherMs) : () => Promise.resolve();
  const webhooks = followedWebhooks({ reads, open: parts.open, mayRead: parts.mayRead });
  const checks = checking(webhooks, log, (webhook) => dispatched.look(webhook));
  const inTurn = oneAtATime();

  const settled = settling({
    ...{ gather, pause, isStopping, onProblem },
    store: (gathered) => write({ do: 'settle', settled: gathered }),
    onStored: (backlogs) => noteBacklogs(backlogs),
  });
  const dispatched = dispatching({
    ...{ webhooks, reads, now, random, after, isStopping, onProblem },
    settle: outcomes({ store: settled.settle, write, now, log }),
    deliver: delivering({
      ...{ reads, now, random, turnOfOthers },
      post: ({ record, keys }, message) =>
        postMessage({ ...parts, stopping: stopping.signal }, record.url, message, keys),
      isWanted: async (webhook) =>
        (await checks.mayRead(webhook)) && !isStopping() && webhooks.isActive(webhook),
      onProgress: (progress) => void settled.settle(progress),
    }),
  });
  const queued = queueing({
    ...{ webhooks, reads, turnOfOthers, isFull, onQueued: dispatched.look, onOvertaken: webhooks.follow },
    store: (found) => write({ do: 'queue', queued: found }),
  });
  const queue = repeated({
    ...{ isStopping, onProblem, pause },
    work: async () => {
      await checks.withheld();
      const isMore = await queued();
      // Nothing is left to look at. The events of the next moments are looked at together.
      if (!isMore) await gather();
      return isMore;
    },
  });

  function noteBacklogs(backlogs: Backlogs): void {
    for (const [id, backlog] of Object.entries(backlogs)) {
      const webhook = webhooks.all.get(id);
      if (webhook === undefined) continue;
      const wasFull = isFull(webhook);
      webhook.backlog = backlog;
      if (wasFull && !isFull(webhook)) queue.wake();
    }
  }

  async function follow(): Promise<void> {
    await webhooks.follow();
    queue.wake();
    for (const webhook of webhooks.all.values()) dispatched.look(webhook);
  }

  return {
    async start() {
      feed.changes(({ kind }) => isOurs(kind) && void inTurn(follow).catch(onProblem));
      feed.onNotices(() => webhooks.all.size > 0 && queue.wake());
      await inTurn(follow);
    },
    async stop() {
      stopping.abort();
      dispatched.stop();
      pausing.end();
      await Promise.all([queue.idle(), dispatched.idle()]);
      await settled.idle();
    },
  };
}

/** Looks whether the creators of webhooks may still read runs. */
function checking(
  webhooks: FollowedWebhooks,
  log: Pick<Logger, 'warn'>,
  onRestored: (webhook: FollowedWebhook) => void,
) {
  async function mayRead(webhook: FollowedWebhook): Promise<boolean> {
    if (await webhooks.check(webhook)) {
      const { tenant, webhookId, principal } = webhook.record;
      const about = { tenant, webhookId, principal };
      if (!webhook.isWithheld) onRestored(webhook);
      else log.warn(about, 'a webhook is withheld: its creator has no key that may read runs');
    }
    return !webhook.isWithheld;
  }
  return {
    mayRead,
    /** The events of other runs are the occasion to look again at webhooks whose creator had no valid key. */
    async withheld(): Promise<void> {
      for (const webhook of webhooks.all.values()) if (webhook.isWithheld) await mayRead(webhook);
    },
  };
}

function isOurs(kind: StoreChange['kind']): boolean {
  return kind === 'webhook' || kind === 'missed';
}

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Pauses that end early when the host stops. Afterwards there are none. */
function pauses(after: (ms: number, run: () => void) => () => void) {
  const open = new Set<() => void>();
  let isEnded = false;
  return {
    pause: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        if (isEnded) return resolve();
        const end = (): void => {
          open.delete(end);
          cancel();
          resolve();
        };
        const cancel = after(ms, end);
        open.add(end);
      }),
    end(): void {
      isEnded = true;
      for (const end of [...open]) end();
    },
  };
}
