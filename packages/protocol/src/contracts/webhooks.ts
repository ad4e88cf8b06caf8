import Type from 'typebox';
import {
  CreateWebhook,
  DeadLetter,
  Pinged,
  Redeliver,
  RotateWebhook,
  WaitingDelivery,
  Webhook,
  WebhookSecret,
} from '../schemas/webhooks.ts';
import { Cursor, json, PageSize, type Routes } from './contract.ts';

/** Webhooks of a tenant, their keys, and the deliveries that failed. */

const Params = Type.Object({ webhookId: Type.String({ minLength: 1, maxLength: 64 }) });
const PageQuery = Type.Object({ limit: Type.Optional(PageSize), cursor: Type.Optional(Cursor) });

export const WEBHOOK_CONTRACTS = {
  createWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    access: 'webhooks:manage',
    // Each webhook has its own secret, which the host does not keep in a form that it could repeat.
    idempotent: 'never',
    tag: 'webhooks',
    summary: 'Send events of the tenant to an address',
    description:
      'The webhook is told the events that are recorded from now on, those of one run in their order, each at least ' +
      'once. A delivery that fails is tried again for a day. The key must also have the scope `runs:read`. Replays ' +
      'are not told.',
    body: CreateWebhook,
    responses: { 201: json(WebhookSecret, 'The webhook was created') },
    refusals: ['webhook_url_rejected', 'webhook_limit_reached'],
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    access: 'webhooks:manage',
    idempotent: 'always',
    tag: 'webhooks',
    summary: 'The webhooks of the tenant',
    responses: { 200: json(Type.Object({ webhooks: Type.Array(Webhook) })) },
    refusals: [],
  },
  readWebhook: {
    method: 'GET',
    path: '/v1/webhooks/{webhookId}',
    access: 'webhooks:manage',
    idempotent: 'always',
    tag: 'webhooks',
    summary: 'A webhook and its state',
    params: Params,
    responses: { 200: json(Webhook) },
    refusals: ['subscription_not_found'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{webhookId}',
    access: 'webhooks:manage',
    idempotent: 'always',
    tag: 'webhooks',
    summary: 'Delete a webhook, with its waiting deliveries and dead letters',
    params: Params,
    query: Type.Object({ tenantId: Type.Optional(Type.String()) }),
    responses: { 204: { description: 'The webhook is gone', content: {} } },
    refusals: ['subscription_not_found'],
  },
  pauseWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{webhookId}:pause',
    access: 'webhooks:manage',
    idempotent: 'always',
    tag: 'webhooks',
    summary: 'Stop the deliveries of a webhook',
    description: 'Events that are recorded meanwhile are delivered after it is resumed.',
    params: Params,
    responses: { 200: json(Webhook) },
    refusals: ['subscription_not_found'],
  },
  resumeWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{webhookId}:resume',
    access: 'webhooks:manage',
    idempotent: 'always',
    tag: 'webhooks',
    summary: 'Go on with the deliveries of a webhook that was paused or has failed',
    params: Params,
    responses: { 200: json(Webhook) },
    refusals: ['subscription_not_found'],
  },
  rotateWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{webhookId}:rotate',
    access: 'webhooks:manage',
    // Each rotation makes a key.
    idempotent: 'never',
    tag: 'webhooks',
    summary: 'Give a webhook a new secret',
    description:
      'Until the overlap ends, `webhook-signature` holds a signature for each valid key, and `X-openwop-Signature`, ' +
      'which has room for one, is made with the oldest of them.',
    params: Params,
    body: RotateWebhook,
    responses: { 200: json(WebhookSecret) },
    refusals: ['subscription_not_found', 'webhook_key_conflict'],
  },
  pingWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{webhookId}:ping',
    access: 'webhooks:manage',
    // Each ping is a delivery.
    idempotent: 'never',
    tag: 'webhooks',
    summary: 'Send a test message to a webhook',
    description:
      'The message has the type `webhook.ping`. It is sent once, also while the webhook is paused.',
    params: Params,
    responses: { 200: json(Pinged) },
    refusals: ['subscription_not_found'],
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/{webhookId}/deliveries',
    access: 'webhooks:manage',
    idempotent: 'always',
    tag: 'webhooks',
    summary: 'Runs whose events wait for their delivery',
    params: Params,
    query: PageQuery,
    responses: {
      200: json(
        Type.Object({ deliveries: Type.Array(WaitingDelivery), nextCursor: Type.Optional(Type.String()) }),
      ),
    },
    refusals: ['subscription_not_found'],
  },
  listDeadLetters: {
    method: 'GET',
    path: '/v1/webhooks/{webhookId}/dead-letters',
    access: 'webhooks:manage',
    idempotent: 'always',
    tag: 'webhooks',
    summary: 'Events that were not delivered within a day',
    params: Params,
    query: PageQuery,
    responses: {
      200: json(
        Type.Object({ deadLetters: Type.Array(DeadLetter), nextCursor: Type.Optional(Type.String()) }),
      ),
    },
    refusals: ['subscription_not_found'],
  },
  redeliver: {
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/dead-letters:redeliver',
    access: 'webhooks:manage',
    // A dead letter that is being redelivered is left alone.
    idempotent: 'always',
    tag: 'webhooks',
    summary: 'Deliver dead letters again',
    description:
      'Each is tried for another day. It keeps its `webhook-id`, and may come after later events of its run. ' +
      'The deliveries of a webhook that is not active begin when it is resumed.',
    params: Params,
    body: Redeliver,
    responses: { 200: json(Type.Object({ redelivered: Type.Integer({ minimum: 0 }) })) },
    refusals: ['subscription_not_found'],
  },
} as const satisfies Routes;
