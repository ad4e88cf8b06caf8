import Type from 'typebox';
import { closed } from './parts.ts';

/** Webhooks: addresses to which a host sends the events of a tenant. */

/** Every event is matched with all webhooks of its tenant. */
export const MAX_WEBHOOKS = 32;
/** Of one webhook. The oldest are removed first. */
export const MAX_DEAD_LETTERS = 1000;
const MAX_NAMES = 64;
/** How long earlier keys sign after a rotation, in seconds. */
const USUAL_OVERLAP = 86_400;
const LONGEST_OVERLAP = 7 * 86_400;

const Names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: MAX_NAMES, description });

export const CreateWebhook = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'An https address of the public internet, without a user name and a password',
    }),
    events: Type.Array(
      Type.String({ pattern: '^(\\*|[a-z][A-Za-z0-9]*(\\.[A-Za-z][A-Za-z0-9]*)+)$', maxLength: 128 }),
      {
        minItems: 1,
        maxItems: MAX_NAMES,
        description: 'Types of events, such as `run.completed`; `*` stands for all',
      },
    ),
    tenantId: Type.Optional(Type.String({ description: 'The tenant of the key; no other is accepted' })),
    workflows: Type.Optional(Names('Only runs of these workflows. Absent: all')),
    tags: Type.Optional(Names('Only trees whose root has one of these tags. Absent: all')),
  },
  closed,
);
export type CreateWebhook = Type.Static<typeof CreateWebhook>;

export const RotateWebhook = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LONGEST_OVERLAP,
        default: USUAL_OVERLAP,
        description: 'How long the earlier keys still sign beside the new one; 0 ends them now',
      }),
    ),
  },
  closed,
);
export const DEFAULT_OVERLAP_SECONDS = USUAL_OVERLAP;

const DateTime = Type.String({ format: 'date-time' });

/** A webhook as lists show it. It never holds a key. */
export const Webhook = Type.Object(
  {
    webhookId: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    workflows: Type.Array(Type.String()),
    tags: Type.Array(Type.String()),
    state: Type.Unsafe<'active' | 'paused' | 'failed'>({ enum: ['active', 'paused', 'failed'] }),
    reason: Type.Optional(Type.String({ description: 'Why the host has stopped the deliveries' })),
    secretFingerprint: Type.String({
      description: 'The first 8 hexadecimal digits of the SHA-256 of the secret',
    }),
    createdBy: Type.String({
      description:
        'The principal whose keys the deliveries need: the creator, or the one who has taken it over',
    }),
    createdAt: DateTime,
    updatedAt: DateTime,
    failingSince: Type.Optional(DateTime),
  },
  closed,
);
export type Webhook = Type.Static<typeof Webhook>;

/** The only answers that hold a key. */
export const WebhookSecret = Type.Object(
  {
    webhookId: Type.String(),
    secret: Type.String({
      description:
        'Signs every delivery. 64 hexadecimal digits, which are also the Base64 secret of a Standard Webhooks ' +
        'library. It is shown only once.',
    }),
    secretFingerprint: Type.String(),
    earlierKeysUntil: Type.Optional(DateTime),
  },
  closed,
);

/** Events of one run that wait for their delivery. */
export const WaitingDelivery = Type.Object(
  {
    runId: Type.String(),
    workflowId: Type.String(),
    sequence: Type.Integer({ minimum: 0, description: 'The delivery goes on at this event' }),
    failedTries: Type.Integer({ minimum: 0 }),
    nextTryAt: DateTime,
    lastError: Type.Optional(Type.String()),
  },
  closed,
);
export type WaitingDelivery = Type.Static<typeof WaitingDelivery>;

/** An event that was not delivered within a day. */
export const DeadLetter = Type.Object(
  {
    deliveryId: Type.String({ description: 'The `webhook-id` of all tries' }),
    runId: Type.String(),
    workflowId: Type.String(),
    sequence: Type.Integer({ minimum: 0 }),
    failedTries: Type.Integer({ minimum: 0 }),
    diedAt: DateTime,
    lastError: Type.Optional(Type.String()),
    nextTryAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Present while it is redelivered' }),
    ),
  },
  closed,
);
export type DeadLetter = Type.Static<typeof DeadLetter>;

export const Redeliver = Type.Object(
  {
    deliveryIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: MAX_DEAD_LETTERS,
        description: 'Absent: all dead letters of the webhook',
      }),
    ),
  },
  closed,
);

export const Pinged = Type.Object(
  {
    deliveryId: Type.String(),
    delivered: Type.Boolean(),
    error: Type.Optional(Type.String({ description: 'Why the delivery failed' })),
  },
  closed,
);
