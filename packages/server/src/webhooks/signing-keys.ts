import { createHash, randomBytes } from 'node:crypto';
import type { WebhookPlace, WebhookRecord } from '@baton/engine/ports';
import type { TenantSecrets } from '../secrets/tenant-secrets.ts';

/** A key that signs the deliveries of a webhook. `until` is set when a newer one has taken its place. */
interface SigningKey {
  readonly secret: string;
  readonly until?: number;
}

/** The newest key first. */
export type SigningKeys = readonly SigningKey[];

/** Every key makes deliveries longer, so only so many sign at once. */
const MOST_KEYS = 4;

/** 64 hexadecimal digits. They are Base64 as well, so that a Standard Webhooks library takes the secret as it is. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/** Names a secret in lists and logs, as the protocol defines it. */
export function fingerprintOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8);
}

/** The keys that sign at this time. */
export function validKeys(keys: SigningKeys, now: number): SigningKeys {
  return keys.filter(({ until }) => until === undefined || until > now);
}

/**
 * The keys with a new one before them. Those before sign until the overlap ends, or until an earlier rotation ends
 * them. `undefined` if these would be too many keys.
 */
export function rotated(
  keys: SigningKeys,
  secret: string,
  overlapMs: number,
  now: number,
): SigningKeys | undefined {
  const end = now + overlapMs;
  const ending = keys.map((key) => ({ ...key, until: Math.min(key.until ?? end, end) }));
  const all = [{ secret }, ...validKeys(ending, now)];
  return all.length > MOST_KEYS ? undefined : all;
}

/** The last time at which an earlier key signs. */
export function earlierKeysUntil(keys: SigningKeys): number | undefined {
  const ends = keys.flatMap(({ until }) => until ?? []);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** Encrypts and opens the keys of webhooks. They are one encrypted value, like a secret of the tenant. */

/** No secret of a tenant has a colon in its name. */
function placeOf({ tenant, webhookId }: WebhookPlace) {
  return { tenant, name: `webhook:${webhookId}` };
}

export function wrapKeys<T>(
  secrets: Pick<TenantSecrets, 'wrap'>,
  webhook: WebhookPlace,
  keys: SigningKeys,
  store: (jwe: string) => Promise<T>,
): Promise<T> {
  return secrets.wrap(placeOf(webhook), JSON.stringify(keys), store);
}

/** `undefined` when no key of this host opens them. */
export async function openKeys(
  secrets: Pick<TenantSecrets, 'open'>,
  webhook: Pick<WebhookRecord, 'tenant' | 'webhookId' | 'keys'>,
): Promise<SigningKeys | undefined> {
  const text = await secrets.open({ ...placeOf(webhook), jwe: webhook.keys });
  // The text is authenticated, so it is what `wrapKeys` wrote.
  return text === undefined ? undefined : (JSON.parse(text) as SigningKeys);
}
