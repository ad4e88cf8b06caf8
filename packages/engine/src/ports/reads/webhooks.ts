import type { Page } from './page.ts';
import type { SecretPlace, SecretRecord } from './secrets.ts';

/** `failed`: the host has stopped the deliveries, and `reason` says why. */
export type WebhookState = 'active' | 'paused' | 'failed';

/** A webhook: an address to which the events of a tenant are sent, and the events that it wants. */
export interface WebhookRecord {
  readonly tenant: string;
  readonly webhookId: string;
  /** The principal who created it or has taken it over. Deliveries need a valid key of this principal. */
  readonly principal: string;
  readonly url: string;
  /** Types of events; `*` stands for all. */
  readonly events: readonly string[];
  /** The workflows whose runs are told. Empty: all. */
  readonly workflows: readonly string[];
  /** Only trees whose root has one of these tags are told. Empty: all. */
  readonly tags: readonly string[];
  readonly state: WebhookState;
  readonly reason?: string;
  /** The keys that sign, encrypted, in the compact form of JWE. The store cannot open them. */
  readonly keys: string;
  /** Names the newest key in lists. */
  readonly fingerprint: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The first failed delivery since the last one that succeeded. */
  readonly failingSince?: number;
  /** The position in the order of all events up to which deliveries were queued. */
  readonly position: number;
}

/**
 * An event in the order in which all events of a store were committed. An event with a lower position never
 * appears later, and a position is never used again.
 */
export interface CommittedEvent {
  readonly position: number;
  readonly tenant: string;
  readonly runId: string;
  readonly sequence: number;
  /** The first characters of the event, among them its type. */
  readonly beginning: string;
  readonly workflowId: string;
  /** The tags of the root of the tree. */
  readonly tags: readonly string[];
  /** How the tree was forked. Absent when it is no fork. */
  readonly forkMode?: 'replay' | 'branch';
}

/**
 * The events of one run that a webhook has not been told: those from `next` to `last` that it wants. A dead
 * letter is one event that could not be delivered.
 */
export interface DeliveryRow {
  readonly number: number;
  readonly runId: string;
  readonly workflowId: string;
  readonly next: number;
  readonly last: number;
  /** Failed tries of event `next`. */
  readonly tries: number;
  readonly failingSince?: number;
  /** The time of the next try. Absent for a dead letter that is not being redelivered. */
  readonly nextAt?: number;
  readonly error?: string;
  /** Set for a dead letter: when the host gave up. */
  readonly diedAt?: number;
}

export interface WebhookReads {
  webhook(tenant: string, webhookId: string): Promise<WebhookRecord | undefined>;
  /** The webhooks of a tenant, the oldest first. */
  webhooks(tenant: string): Promise<readonly WebhookRecord[]>;
  /** Waiting deliveries, or dead letters, in the order in which they were stored. */
  deliveries(
    place: { readonly tenant: string; readonly webhookId: string; readonly dead: boolean },
    limit: number,
    cursor?: string,
  ): Promise<Page<DeliveryRow>>;
  /** All webhooks of all tenants. Only for the host itself, like the methods below. */
  everyWebhook(): Promise<readonly WebhookRecord[]>;
  /** The keys of all webhooks, as `everySecret`. The name of a key is `webhook:` and the id of its webhook. */
  everyWebhookKey(after: SecretPlace | undefined, limit: number): Promise<readonly SecretRecord[]>;
  /**
   * Looks at the next `limit` events after a position, and returns those of the given tenants. `upTo` is the
   * position of the last event that was looked at; absent when there is none.
   */
  committedEvents(
    after: number,
    limit: number,
    tenants: readonly string[],
  ): Promise<{ readonly upTo?: number; readonly events: readonly CommittedEvent[] }>;
  /** The deliveries of a webhook whose time has come, the longest waiting first. */
  dueDeliveries(webhookId: string, now: number, limit: number): Promise<readonly DeliveryRow[]>;
  /** The time of the next try of any delivery of a webhook. */
  nextDelivery(webhookId: string): Promise<number | undefined>;
  /** How many runs wait for a delivery to the webhook. */
  backlog(webhookId: string): Promise<number>;
}
