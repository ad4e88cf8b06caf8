import type { WebhookReads, WebhookRecord } from '@baton/engine/ports';
import type { MayRead } from './creators.ts';
import type { SigningKeys } from './signing-keys.ts';

/** A webhook, and what the deliverer remembers of it while the host runs. */
export interface FollowedWebhook {
  record: WebhookRecord;
  /** `undefined` when the host cannot open them. */
  keys: SigningKeys | undefined;
  /** Events up to this position were looked at. The stored position moves later when nothing was found. */
  position: number;
  /** The position in the store. */
  stored: number;
  /** How many runs wait for a delivery. */
  backlog: number;
  /** The runs with a delivery under way. The events of a run are sent one after the other. */
  readonly busy: Set<string>;
  /** Failed tries since the last success, over all runs. */
  failures: number;
  /** The first failed try since the last success. */
  failingSince: number | undefined;
  /** While the receiver fails, no try begins before this time. */
  restsUntil: number;
  /** Whether the creator may no longer read runs. The events wait in their logs meanwhile, as while it is paused. */
  isWithheld: boolean;
}

/** All webhooks of a host. */
export interface FollowedWebhooks {
  readonly all: ReadonlyMap<string, FollowedWebhook>;
  /** Whether the webhook wants deliveries. */
  isActive(webhook: FollowedWebhook): boolean;
  /** Reads all webhooks again. */
  follow(): Promise<void>;
  /** Looks whether the creator of the webhook may still read runs. Returns whether that has changed. */
  check(webhook: FollowedWebhook): Promise<boolean>;
}

interface FollowedOptions {
  readonly reads: Pick<WebhookReads, 'everyWebhook' | 'backlog'>;
  readonly open: (webhook: WebhookRecord) => Promise<SigningKeys | undefined>;
  readonly mayRead: MayRead;
}

export function followedWebhooks({ reads, open, mayRead }: FollowedOptions): FollowedWebhooks {
  const all = new Map<string, FollowedWebhook>();

  async function agree(record: WebhookRecord): Promise<void> {
    const known = all.get(record.webhookId);
    const isWithheld = !(await mayRead(record));
    if (known === undefined) {
      const [keys, backlog] = await Promise.all([open(record), reads.backlog(record.webhookId)]);
      const { position } = record;
      all.set(record.webhookId, {
        ...{ record, keys, backlog, position, stored: position },
        ...{ busy: new Set<string>(), failures: 0, restsUntil: 0, isWithheld },
        failingSince: record.failingSince,
      });
      return;
    }
    if (known.record.keys !== record.keys) known.keys = await open(record);
    // Another host that shares the store has looked at events. What lies behind the stored position is looked at again.
    if (record.position !== known.stored)
      Object.assign(known, { position: record.position, stored: record.position });
    const isResumed = record.state === 'active' && known.record.state !== 'active';
    known.record = record;
    known.isWithheld = isWithheld;
    if (isResumed) Object.assign(known, { failures: 0, restsUntil: 0, failingSince: undefined });
  }

  return {
    all,
    isActive: (webhook) =>
      webhook.record.state === 'active' &&
      !webhook.isWithheld &&
      all.get(webhook.record.webhookId) === webhook,
    async check(webhook) {
      const before = webhook.isWithheld;
      webhook.isWithheld = !(await mayRead(webhook.record));
      return webhook.isWithheld !== before;
    },
    async follow() {
      const stored = await reads.everyWebhook();
      const ids = new Set(stored.map(({ webhookId }) => webhookId));
      for (const id of all.keys()) if (!ids.has(id)) all.delete(id);
      for (const record of stored) await agree(record);
    },
  };
}
