import type { CreateWebhook, DeadLetter, WaitingDelivery, Webhook } from '@baton/protocol';
import type { CallOptions, Connection } from './http/connection.ts';
import type { Answer, Body } from './http/contract-types.ts';
import { pagesOf } from './http/pages.ts';
import { ask } from './http/request.ts';

/** A webhook together with its new secret, which is shown only once. */
export type WebhookSecret = Answer<'createWebhook'>;

/** The webhooks of the tenant. */
export interface Webhooks {
  /** Each call makes a webhook, so the client does not repeat one whose answer was lost. */
  create(webhook: CreateWebhook, options?: CallOptions): Promise<WebhookSecret>;
  list(options?: CallOptions): Promise<readonly Webhook[]>;
  read(webhookId: string, options?: CallOptions): Promise<Webhook>;
  delete(webhookId: string, options?: CallOptions): Promise<void>;
  pause(webhookId: string, options?: CallOptions): Promise<Webhook>;
  resume(webhookId: string, options?: CallOptions): Promise<Webhook>;
  /** Gives the webhook a new secret. */
  rotate(webhookId: string, options?: Body<'rotateWebhook'> & CallOptions): Promise<WebhookSecret>;
  /** Sends a test message. */
  ping(webhookId: string, options?: CallOptions): Promise<Answer<'pingWebhook'>>;
  /** Runs whose events wait for their delivery. */
  deliveries(webhookId: string, options?: CallOptions): AsyncGenerator<WaitingDelivery, void, undefined>;
  /** Events that were not delivered within a day. */
  deadLetters(webhookId: string, options?: CallOptions): AsyncGenerator<DeadLetter, void, undefined>;
  /** Delivers dead letters again. */
  redeliver(webhookId: string, options?: Body<'redeliver'> & CallOptions): Promise<Answer<'redeliver'>>;
}

export function webhooks(connection: Connection): Webhooks {
  return {
    create: (webhook, options) => ask(connection, 'createWebhook', { body: webhook, ...options }),
    list: async (options) => (await ask(connection, 'listWebhooks', options)).webhooks,
    read: (webhookId, options) => ask(connection, 'readWebhook', { params: { webhookId }, ...options }),
    delete: (webhookId, options) => ask(connection, 'deleteWebhook', { params: { webhookId }, ...options }),
    pause: (webhookId, options) => ask(connection, 'pauseWebhook', { params: { webhookId }, ...options }),
    resume: (webhookId, options) => ask(connection, 'resumeWebhook', { params: { webhookId }, ...options }),
    rotate: (webhookId, { signal, ...body } = {}) =>
      ask(connection, 'rotateWebhook', { params: { webhookId }, body, signal }),
    ping: (webhookId, options) => ask(connection, 'pingWebhook', { params: { webhookId }, ...options }),
    deliveries: (webhookId, { signal } = {}) =>
      pagesOf(async (cursor) => {
        const parts = { params: { webhookId }, query: { limit: 200, cursor }, signal };
        const page = await ask(connection, 'listDeliveries', parts);
        return { items: page.deliveries, next: page.nextCursor };
      }),
    deadLetters: (webhookId, { signal } = {}) =>
      pagesOf(async (cursor) => {
        const parts = { params: { webhookId }, query: { limit: 200, cursor }, signal };
        const page = await ask(connection, 'listDeadLetters', parts);
        return { items: page.deadLetters, next: page.nextCursor };
      }),
    redeliver: (webhookId, { signal, ...body } = {}) =>
      ask(connection, 'redeliver', { params: { webhookId }, body, signal }),
  };
}
