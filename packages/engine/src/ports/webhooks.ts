import type { SecretPlace } from './reads/secrets.ts';
import type { WebhookRecord, WebhookState } from './reads/webhooks.ts';

/** Events of one run that a webhook wants: the first and the last one that were found. */
export interface QueuedRun {
  readonly runId: string;
  readonly first: number;
  readonly last: number;
}

/** The deliveries that were found for one webhook between two positions in the order of all events. */
export interface QueuedDeliveries {
  readonly webhookId: string;
  /** If the stored position of the webhook differs, nothing is queued for it: another host has done so. */
  readonly from: number;
  readonly to: number;
  readonly runs: readonly QueuedRun[];
}

/** What has become of a delivery. `number` names its row. */
export type SettledDelivery = {
  readonly number: number;
  readonly webhookId: string;
  readonly at: number;
} & (
  | {
      readonly kind: 'delivered';
      /** The first event that is still to be delivered. The row is removed when it has no more events. */
      readonly next: number;
      /** Whether the receiver took an event. False when there was no event left to send. */
      readonly reached: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly next: number;
      readonly tries: number;
      readonly failingSince: number;
      readonly nextAt: number;
      readonly error: string;
    }
  | {
      /** Event `next` becomes a dead letter, and the row goes on with the event after it. */
      readonly kind: 'dead';
      readonly next: number;
      readonly tries: number;
      readonly failingSince: number;
      readonly error: string;
    }
);

/** How many runs wait for a delivery, for each webhook that a write has touched. */
export type Backlogs = Readonly<Record<string, number>>;

/** Who the webhook belongs to. */
export type WebhookPlace = Pick<WebhookRecord, 'tenant' | 'webhookId'>;

export type NewWebhook = Omit<WebhookRecord, 'position' | 'updatedAt' | 'failingSince' | 'reason' | 'state'>;

interface NewState {
  readonly state: WebhookState;
  readonly reason?: string;
  readonly principal?: string;
}

/** Webhooks and the deliveries that they wait for. */
export interface WebhookStore {
  /**
   * Stores a new webhook, which is told the events that are committed from now on. False, and nothing is
   * stored, if the tenant has `most` webhooks.
   */
  putWebhook(webhook: NewWebhook, most: number): Promise<boolean>;
  /**
   * A webhook that becomes active counts as one that has not failed yet. A given principal takes it over. False if
   * there is no such webhook.
   */
  setWebhookState(place: WebhookPlace, state: NewState & { readonly at: number }): Promise<boolean>;
  /** False if there is no such webhook, or its stored keys are no longer `from`. */
  setWebhookKeys(
    place: WebhookPlace,
    keys: { readonly from: string; readonly to: string; readonly fingerprint: string; readonly at: number },
  ): Promise<boolean>;
  /** Removes a webhook with its deliveries and dead letters. */
  deleteWebhook(place: WebhookPlace): Promise<boolean>;
  /** As `rewrapSecrets`, for the names that `everyWebhookKey` gives. */
  rewrapWebhookKeys(
    keys: readonly (SecretPlace & { readonly from: string; readonly to: string })[],
  ): Promise<number>;
  /**
   * Moves webhooks to later positions and stores what they wait for, all in one transaction. A webhook whose
   * position was not `from` is missing in the answer.
   */
  queueDeliveries(queued: readonly QueuedDeliveries[], at: number): Promise<Backlogs>;
  /** A webhook keeps at most `mostLetters` dead letters; the oldest are removed first. */
  settleDeliveries(settled: readonly SettledDelivery[], mostLetters: number): Promise<Backlogs>;
  /** Lets dead letters be delivered again: those with the given numbers, or all. Returns how many. */
  redeliver(place: WebhookPlace, numbers: readonly number[] | undefined, at: number): Promise<number>;
}

/** A write that the main thread sends to the thread that may write. */
export type WebhookWrite =
  | { readonly do: 'put'; readonly webhook: NewWebhook }
  | ({ readonly do: 'set-state' } & NewState & WebhookPlace)
  | ({
      readonly do: 'set-keys';
      readonly from: string;
      readonly to: string;
      readonly fingerprint: string;
    } & WebhookPlace)
  | ({ readonly do: 'delete' } & WebhookPlace)
  | {
      readonly do: 'rewrap-keys';
      readonly keys: readonly (SecretPlace & { readonly from: string; readonly to: string })[];
    }
  | { readonly do: 'queue'; readonly queued: readonly QueuedDeliveries[] }
  | { readonly do: 'settle'; readonly settled: readonly SettledDelivery[] }
  | ({ readonly do: 'redeliver'; readonly numbers?: readonly number[] } & WebhookPlace);
