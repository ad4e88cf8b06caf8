import { randomBytes } from 'node:crypto';
import type { Caller, OpenVault } from '@baton/engine';
import type { DeliveryRow, Page, WebhookReads, WebhookRecord, WebhookWrite } from '@baton/engine/ports';
import {
  BatonError,
  type CreateWebhook,
  type DeadLetter,
  invalid,
  MAX_DEAD_LETTERS,
  type WaitingDelivery,
  type Webhook,
} from '@baton/protocol';
import { requireScope } from '../auth/bearer.ts';
import type { Identity } from '../auth/identity.ts';
import type { TenantSecrets } from '../secrets/tenant-secrets.ts';
import type { MayRead } from './creators.ts';
import { deliveryIdOf, pingMessage } from './message.ts';
import { type Posting, postMessage } from './post-message.ts';
import {
  earlierKeysUntil,
  fingerprintOf,
  newSecret,
  openKeys,
  rotated,
  type SigningKeys,
  wrapKeys,
} from './signing-keys.ts';

/** A webhook with the only sight of its secret. */
interface ShownSecret {
  readonly webhookId: string;
  readonly secret: string;
  readonly secretFingerprint: string;
  readonly earlierKeysUntil?: string;
}

/** What the routes do with the webhooks of a tenant. An unknown id is refused with `subscription_not_found`. */
export interface RegisteredWebhooks {
  create(caller: Caller, body: CreateWebhook): Promise<ShownSecret>;
  list(tenant: string): Promise<readonly Webhook[]>;
  read(tenant: string, webhookId: string): Promise<Webhook>;
  delete(tenant: string, webhookId: string): Promise<void>;
  pause(tenant: string, webhookId: string): Promise<Webhook>;
  /** A webhook whose creator may no longer read runs belongs to the caller from now on. */
  resume(identity: Identity, webhookId: string): Promise<Webhook>;
  rotate(tenant: string, webhookId: string, overlapMs: number): Promise<ShownSecret>;
  ping(
    tenant: string,
    webhookId: string,
  ): Promise<{ readonly deliveryId: string; readonly delivered: boolean; readonly error?: string }>;
  waiting(tenant: string, webhookId: string, limit: number, cursor?: string): Promise<Page<WaitingDelivery>>;
  deadLetters(tenant: string, webhookId: string, limit: number, cursor?: string): Promise<Page<DeadLetter>>;
  /** Returns how many dead letters are delivered again. */
  redeliver(tenant: string, webhookId: string, deliveryIds?: readonly string[]): Promise<number>;
}

interface RegisteredOptions {
  readonly reads: WebhookReads;
  /** Resolves with the number of changed rows. Refusals are thrown. */
  readonly write: (write: WebhookWrite) => Promise<number>;
  readonly secrets: Pick<TenantSecrets, 'wrap' | 'open'>;
  readonly vault: Pick<OpenVault, 'redactor'>;
  /** Refuses an address that no delivery would be sent to. */
  readonly judge: (url: string) => Promise<void>;
  readonly posting: Posting;
  readonly mayRead: MayRead;
}

export function registeredWebhooks(options: RegisteredOptions): RegisteredWebhooks {
  const { reads, write, secrets, posting, mayRead } = options;
  const { now } = posting;

  async function found(tenant: string, webhookId: string): Promise<WebhookRecord> {
    const webhook = await reads.webhook(tenant, webhookId);
    if (webhook === undefined) throw new BatonError('subscription_not_found');
    return webhook;
  }

  const shownAs = async (webhook: WebhookRecord) => toWebhook(webhook, await mayRead(webhook));
  const read = async (tenant: string, webhookId: string) => shownAs(await found(tenant, webhookId));

  return {
    read,
    create: (caller, body) => create(options, caller, body),
    list: async (tenant) => Promise.all((await reads.webhooks(tenant)).map(shownAs)),
    async delete(tenant, webhookId) {
      await write({ do: 'delete', tenant, webhookId });
    },
    async pause(tenant, webhookId) {
      await write({ do: 'set-state', tenant, webhookId, state: 'paused' });
      return read(tenant, webhookId);
    },
    async resume(identity, webhookId) {
      const { tenant, principal } = identity;
      const isOwned = await mayRead(await found(tenant, webhookId));
      if (!isOwned) requireScope(identity, 'runs:read');
      const owner = isOwned ? {} : { principal };
      await write({ do: 'set-state', tenant, webhookId, state: 'active', ...owner });
      return read(tenant, webhookId);
    },
    async rotate(tenant, webhookId, overlapMs) {
      const webhook = await found(tenant, webhookId);
      const keys = (await openKeys(secrets, webhook)) ?? [];
      const secret = newSecret();
      const next = rotated(keys, secret, overlapMs, now());
      if (next === undefined) throw new BatonError('webhook_key_conflict');
      const fingerprint = fingerprintOf(secret);
      const changed = await wrapKeys(secrets, webhook, next, (to) =>
        write({ do: 'set-keys', tenant, webhookId, from: webhook.keys, to, fingerprint }),
      );
      if (changed === 0) throw new BatonError('webhook_key_conflict');
      return shown(webhookId, secret, next);
    },
    async ping(tenant, webhookId) {
      const webhook = await found(tenant, webhookId);
      const message = pingMessage(webhookId, tenant, randomBytes(16).toString('hex'), now());
      const failure = await postMessage(posting, webhook.url, message, await openKeys(secrets, webhook));
      return {
        deliveryId: message.id,
        delivered: failure === undefined,
        ...(failure && { error: failure.error }),
      };
    },
    async waiting(tenant, webhookId, limit, cursor) {
      await found(tenant, webhookId);
      const { items, ...rest } = await reads.deliveries({ tenant, webhookId, dead: false }, limit, cursor);
      return { items: items.map(toWaiting), ...rest };
    },
    async deadLetters(tenant, webhookId, limit, cursor) {
      await found(tenant, webhookId);
      const { items, ...rest } = await reads.deliveries({ tenant, webhookId, dead: true }, limit, cursor);
      return { items: items.map((row) => toDeadLetter(webhookId, row)), ...rest };
    },
    async redeliver(tenant, webhookId, deliveryIds) {
      await found(tenant, webhookId);
      const numbers = deliveryIds && (await numbersOf(reads, { tenant, webhookId }, deliveryIds));
      return write({ do: 'redeliver', tenant, webhookId, ...(numbers && { numbers }) });
    },
  };
}

async function create(options: RegisteredOptions, caller: Caller, body: CreateWebhook): Promise<ShownSecret> {
  const { write, secrets, vault, judge, posting } = options;
  const { url, events, workflows = [], tags = [] } = body;
  const { tenant, principal } = caller;
  if ((vault.redactor(tenant)?.redactText(url) ?? url) !== url) {
    throw invalid('body', {
      field: 'url',
      problem: 'holds the value of a secret; it would be stored as it is',
    });
  }
  await judge(url);
  const webhookId = `wh_${randomBytes(12).toString('hex')}`;
  const secret = newSecret();
  const webhook = {
    ...{ tenant, webhookId, principal, url, events, workflows, tags },
    fingerprint: fingerprintOf(secret),
    createdAt: posting.now(),
  };
  await wrapKeys(secrets, webhook, [{ secret }], (keys) =>
    write({ do: 'put', webhook: { ...webhook, keys } }),
  );
  return shown(webhookId, secret, [{ secret }]);
}

/** The id of a delivery is a digest, so the dead letters are looked through. They are not many. */
async function numbersOf(
  reads: Pick<WebhookReads, 'deliveries'>,
  webhook: { readonly tenant: string; readonly webhookId: string },
  deliveryIds: readonly string[],
): Promise<readonly number[]> {
  const wanted = new Set(deliveryIds);
  const { items } = await reads.deliveries({ ...webhook, dead: true }, MAX_DEAD_LETTERS);
  return items
    .filter(({ runId, next }) => wanted.has(deliveryIdOf(webhook.webhookId, runId, next)))
    .map(({ number }) => number);
}

function shown(webhookId: string, secret: string, keys: SigningKeys): ShownSecret {
  const until = earlierKeysUntil(keys);
  return {
    webhookId,
    secret,
    secretFingerprint: fingerprintOf(secret),
    ...(until !== undefined && { earlierKeysUntil: new Date(until).toISOString() }),
  };
}

/** Webhooks and deliveries as the API shows them. */

/** `mayRead` says whether the creator of the webhook may still read runs. */
function toWebhook(record: WebhookRecord, mayRead: boolean): Webhook {
  const { webhookId, url, events, workflows, tags, failingSince } = record;
  const { state, reason } = record.state === 'active' && !mayRead ? withheld(record) : record;
  return {
    ...{ webhookId, url, state },
    ...{ events: [...events], workflows: [...workflows], tags: [...tags] },
    ...(reason !== undefined && { reason }),
    secretFingerprint: record.fingerprint,
    createdBy: record.principal,
    createdAt: dateTime(record.createdAt),
    updatedAt: dateTime(record.updatedAt),
    ...(failingSince !== undefined && { failingSince: dateTime(failingSince) }),
  };
}

function withheld({ principal }: WebhookRecord): Pick<WebhookRecord, 'state' | 'reason'> {
  return {
    state: 'failed',
    reason:
      `${principal}, who created the webhook, has no valid key with the scope runs:read any more. It goes on with ` +
      `another key of ${principal}, or when another principal resumes it.`,
  };
}

function toWaiting({ runId, workflowId, next, tries, nextAt, error }: DeliveryRow): WaitingDelivery {
  return {
    ...{ runId, workflowId, sequence: next, failedTries: tries, nextTryAt: dateTime(nextAt ?? 0) },
    ...(error !== undefined && { lastError: error }),
  };
}

function toDeadLetter(webhookId: string, row: DeliveryRow): DeadLetter {
  const { runId, workflowId, next, tries, diedAt, nextAt, error } = row;
  return {
    deliveryId: deliveryIdOf(webhookId, runId, next),
    ...{ runId, workflowId, sequence: next, failedTries: tries, diedAt: dateTime(diedAt ?? 0) },
    ...(error !== undefined && { lastError: error }),
    ...(nextAt !== undefined && { nextTryAt: dateTime(nextAt) }),
  };
}

function dateTime(at: number): string {
  return new Date(at).toISOString();
}
