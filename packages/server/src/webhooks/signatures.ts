import { createHmac } from 'node:crypto';
import type { SigningKeys } from './signing-keys.ts';

/** A message to a webhook, before it is signed. */
export interface Message {
  /** The same for every try, so that a receiver can recognise a repetition. */
  readonly id: string;
  readonly webhookId: string;
  readonly type: string;
  readonly body: string;
  /** The trace context of the run that the message is about. */
  readonly traceparent?: string;
}

/**
 * The headers that sign a message, in two forms with the same keys. Standard Webhooks has room for several signatures.
 * The form of OpenWOP has room for one, which the oldest key makes: during a rotation a receiver that knows only the
 * earlier key can still verify it.
 */
export function signatureHeaders(
  { id, webhookId, type, body }: Message,
  keys: SigningKeys,
  now: number,
): Readonly<Record<string, string>> {
  const standard = standardHeaders(
    { id, body },
    keys.map(({ secret }) => secret),
    now,
  );
  const seconds = standard['webhook-timestamp'];
  const oldest = keys.at(-1)?.secret ?? '';
  return {
    ...standard,
    'x-openwop-webhook-id': webhookId,
    'x-openwop-event-type': type,
    'x-openwop-timestamp': seconds,
    'x-openwop-signature': `sha256=${createHmac('sha256', oldest).update(`${seconds}.${body}`).digest('hex')}`,
    'x-openwop-signature-algorithm': 'v1',
  };
}

/** The headers of Standard Webhooks, with one signature for each secret. */
export function standardHeaders(
  { id, body }: Pick<Message, 'id' | 'body'>,
  secrets: readonly string[],
  now: number,
) {
  const seconds = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => `v1,${standardSignature(secret, `${id}.${seconds}.${body}`)}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  } as const;
}

/** The receiver of a push may give its secret with the prefix that Standard Webhooks has for secrets. */
const SECRET_PREFIX = /^whsec_/;

/** The key that a secret of Standard Webhooks holds. */
export function keyIn(secret: string): Buffer {
  return Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64');
}

function standardSignature(secret: string, content: string): string {
  return createHmac('sha256', keyIn(secret)).update(content).digest('base64');
}
