import type { DeliveryRow, WebhookRecord } from '@baton/engine/ports';
import type { DeadLetter, WaitingDelivery, Webhook } from '@baton/protocol';
import { deliveryIdOf } from './message.ts';

/** Webhooks and deliveries as the API shows them. */

export function toWebhook(record: WebhookRecord): Webhook {
  const { webhookId, url, events, workflows, tags, state, reason, failingSince } = record;
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
