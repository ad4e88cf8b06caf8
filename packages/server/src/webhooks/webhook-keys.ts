import type { WebhookPlace, WebhookRecord } from '@baton/engine/ports';
import type { TenantSecrets } from '../secrets/tenant-secrets.ts';
import type { SigningKeys } from './signing-keys.ts';

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
