import type { DeliveryRow, WebhookRecord } from '@baton/engine/ports';
import type { DeadLetter, WaitingDelivery, Webhook } from '@baton/protocol';
import { deliveryIdOf } from './message.ts';

/** Webhooks and deliveries as the API shows them. */

/** `mayRead` says whether the creator of the webhook may still read runs. */
export function toWebhook(record: WebhookRecord, mayRead: boolean): Webhook {
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

export function toWaiting({ runId, workflowId, next, tries, nextAt, error }: DeliveryRow): WaitingDelivery {
  return {
    ...{ runId, workflowId, sequence: next, failedTries: tries, nextTryAt: dateTime(nextAt ?? 0) },
    ...(error !== undefined && { lastError: error }),
  };
}

export function toDeadLetter(webhookId: string, row: DeliveryRow): DeadLetter {
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
