import type { Notice } from '@baton/engine';
import type { Backlogs, ChangeFeed, WebhookReads, WebhookRecord, WebhookWrite } from '@baton/engine/ports';
import type { Logger } from 'pino';
import { oneAtATime } from '../secrets/one-at-a-time.ts';
import type { MayRead } from './creators.ts';
import { delivering } from './delivery.ts';
import { dispatching } from './dispatching.ts';
import { type FollowedWebhook, followedWebhooks } from './followed-webhooks.ts';
import { outcomes } from './outcomes.ts';
import { pauses } from './pauses.ts';
import { type Posting, postMessage } from './post-message.ts';
import { queueing } from './queueing.ts';
import { repeated } from './repeated.ts';
import { settling } from './settling.ts';
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

export function deliverer(parts: DelivererParts): Deliverer {
  const { reads, feed, write, now, random, after, log, mostWaiting = MOST_WAITING } = parts;
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  const onProblem = (err: unknown) => {
    if (!isStopping()) log.error({ err }, 'a delivery of a webhook could not be handled');
  };
  const pausing = pauses(after);
  const pause = () => pausing.pause(PAUSE_MS);
  const webhooks = followedWebhooks({ reads, open: parts.open, mayRead: parts.mayRead });
  const inTurn = oneAtATime();

  const settled = settling({
    ...{ pause, isStopping, onProblem },
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
      isWanted: async (webhook) => {
        await check(webhook);
        return !isStopping() && webhooks.isActive(webhook);
      },
      onProgress: (progress) => void settled.settle(progress),
    }),
  });
  const queued = queueing({
    ...{ webhooks, reads, turnOfOthers, isFull },
    store: (found) => write({ do: 'queue', queued: found }),
    onQueued: dispatched.look,
  });
  const queue = repeated({ work: checkAndQueue, isStopping, onProblem, pause });

  /** The events of other runs are the occasion to look again at webhooks whose creator had no valid key. */
  async function checkAndQueue(): Promise<boolean> {
    for (const webhook of webhooks.all.values()) if (webhook.isWithheld) await check(webhook);
    return queued();
  }

  async function check(webhook: FollowedWebhook): Promise<void> {
    if (!(await webhooks.check(webhook))) return;
    const { tenant, webhookId, principal } = webhook.record;
    const about = { tenant, webhookId, principal };
    if (webhook.isWithheld)
      log.warn(about, 'a webhook is withheld: its creator has no key that may read runs');
    else dispatched.look(webhook);
  }

  function isFull({ backlog }: Pick<FollowedWebhook, 'backlog'>): boolean {
    return backlog >= mostWaiting;
  }

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
      feed.changes(({ kind }) => {
        if (kind === 'webhook' || kind === 'missed') inTurn(follow).catch(onProblem);
      });
      feed.onNotices(() => {
        if (webhooks.all.size > 0) queue.wake();
      });
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

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
