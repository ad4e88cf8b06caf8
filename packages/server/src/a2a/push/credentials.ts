import type { TaskPushPlace } from '@baton/engine/ports';
import type { TenantSecrets } from '../../secrets/tenant-secrets.ts';
import { secretPlaceOf } from './stored-credentials.ts';

/** What proves the host to the receiver of a push. It is stored encrypted, like a secret of the tenant. */
export interface PushCredentials {
  /** Sent as it is, and signs the push. */
  readonly token?: string;
  /** The value of the header `Authorization`. */
  readonly authorization?: string;
}

export function wrapCredentials<T>(
  secrets: Pick<TenantSecrets, 'wrap'>,
  place: TaskPushPlace,
  credentials: PushCredentials,
  store: (jwe: string) => Promise<T>,
): Promise<T> {
  return secrets.wrap(secretPlaceOf(place), JSON.stringify(credentials), store);
}

/** `undefined` when no key of this host opens them. */
export async function openCredentials(
  secrets: Pick<TenantSecrets, 'open'>,
  { credentials, ...place }: TaskPushPlace & { readonly credentials: string },
): Promise<PushCredentials | undefined> {
  const text = await secrets.open({ ...secretPlaceOf(place), jwe: credentials });
  // The text is authenticated, so it is what `wrapCredentials` wrote.
  return text === undefined ? undefined : (JSON.parse(text) as PushCredentials);
}
