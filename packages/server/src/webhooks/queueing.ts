import type { Backlogs, QueuedDeliveries, WebhookReads } from '@baton/engine/ports';
import type { FollowedWebhook, FollowedWebhooks } from './followed-webhooks.ts';
import { toldRuns } from './message.ts';

/** Events that are looked at together. */
const PAGE = 256;
/** A webhook for which nothing was found stores its position after so many events. */
const STORED_EVERY = 10_000;

interface QueueingParts {
  readonly webhooks: FollowedWebhooks;
  readonly reads: Pick<WebhookReads, 'committedEvents'>;
  /** Resolves when the deliveries are stored. */
  readonly store: (queued: readonly QueuedDeliveries[]) => Promise<Backlogs>;
  /** Resolves in a later iteration of the event loop. */
  readonly turnOfOthers: () => Promise<void>;
  /** Whether the webhook has as many waiting runs as it may have. Further events wait in their logs. */
  readonly isFull: (webhook: FollowedWebhook) => boolean;
  readonly onQueued: (webhook: FollowedWebhook) => void;
  /** Another host has moved the position of a webhook. The webhooks have to be read again. */
  readonly onOvertaken: () => Promise<void>;
}

/**
 * Looks at the next events for every webhook, and stores which runs it has to be told of. Webhooks at the same position
 * look together, so that in general every event is read once. Returns whether there may be more.
 */
export function queueing({
  webhooks,
  reads,
  store,
  turnOfOthers,
  isFull,
  onQueued,
  onOvertaken,
}: QueueingParts): () => Promise<boolean> {
  async function look(group: readonly FollowedWebhook[], position: number): Promise<boolean> {
    const tenants = [...new Set(group.map(({ record }) => record.tenant))];
    const { upTo, events } = await reads.committedEvents(position, PAGE, tenants);
    if (upTo === undefined) return false;
    const queued = group
      .map(({ record, stored }) => ({
        webhookId: record.webhookId,
        from: stored,
        to: upTo,
        runs: toldRuns(record, events),
      }))
      .filter(({ runs, from, to }) => runs.length > 0 || to - from > STORED_EVERY);
    const backlogs = queued.length === 0 ? {} : await store(queued);
    for (const webhook of group) advance(webhook, upTo, backlogs, queued);
    if (queued.some(({ webhookId }) => backlogs[webhookId] === undefined)) await onOvertaken();
    return true;
  }

  function advance(
    webhook: FollowedWebhook,
    upTo: number,
    backlogs: Backlogs,
    queued: readonly QueuedDeliveries[],
  ): void {
    const own = queued.find(({ webhookId }) => webhookId === webhook.record.webhookId);
    webhook.position = upTo;
    const backlog = backlogs[webhook.record.webhookId];
    if (own === undefined || backlog === undefined) return;
    webhook.stored = upTo;
    webhook.backlog = backlog;
    if (own.runs.length > 0) onQueued(webhook);
  }

  return async () => {
    let isMore = false;
    for (const [position, group] of groups(webhooks, isFull)) {
      if (await look(group, position)) isMore = true;
      await turnOfOthers();
    }
    return isMore;
  };
}

/** The webhooks that have room, by their position. */
function groups(
  webhooks: FollowedWebhooks,
  isFull: (webhook: FollowedWebhook) => boolean,
): ReadonlyMap<number, readonly FollowedWebhook[]> {
  const groups = new Map<number, FollowedWebhook[]>();
  for (const webhook of webhooks.all.values()) {
    if (!webhooks.isActive(webhook) || isFull(webhook)) continue;
    const group = groups.get(webhook.position);
    if (group === undefined) groups.set(webhook.position, [webhook]);
    else group.push(webhook);
  }
  return groups;
}

interface RepeatedParts {
  /** Returns whether there may be more to do. */
  readonly work: () => Promise<boolean>;
  readonly isStopping: () => boolean;
  readonly onProblem: (problem: unknown) => void;
  /** After a problem. */
  readonly pause: () => Promise<void>;
}

/** Does a piece of work again and again while there is more to do, and once more if it was woken meanwhile. */
export function repeated({ work, isStopping, onProblem, pause }: RepeatedParts) {
  let running: Promise<void> | undefined;
  let again = false;

  async function run(): Promise<void> {
    while (again && !isStopping()) {
      again = false;
      try {
        if (await work()) again = true;
      } catch (problem) {
        onProblem(problem);
        again = true;
        await pause();
      }
    }
    running = undefined;
  }

  return {
    wake(): void {
      again = true;
      running ??= run();
    },
    idle: async () => running,
  };
}
