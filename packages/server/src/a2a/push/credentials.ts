import type {
  RewrappedPush,
  RewrappedSecret,
  SecretReads,
  TaskPushPlace,
  TaskPushReads,
} from '@baton/engine/ports';
import type { TenantSecrets } from '../../secrets/tenant-secrets.ts';

/** What proves the host to the receiver of a push. It is stored encrypted, like a secret of the tenant. */
export interface PushCredentials {
  /** Sent as it is, and signs the push. */
  readonly token?: string;
  /** The value of the header `Authorization`. */
  readonly authorization?: string;
}

const NAME = 'push:';

/** The name of the credentials among other encrypted values. No secret of a tenant has a colon in its name. */
function secretPlaceOf({ tenant, runId, pushId }: TaskPushPlace) {
  return { tenant, name: `${NAME}${runId}/${pushId}` };
}

/** The place of a push, from the name of its credentials. An id of a run has no slash. */
function pushPlaceOf({ tenant, name }: { readonly tenant: string; readonly name: string }): TaskPushPlace {
  const at = name.indexOf('/');
  return { tenant, runId: name.slice(NAME.length, at), pushId: name.slice(at + 1) };
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

/** The stored credentials among other encrypted values, for a rotation of the keys that encrypt them. */
export function storedCredentials(
  reads: Pick<TaskPushReads, 'everyTaskPush'>,
): Pick<SecretReads, 'everySecret'> {
  return {
    async everySecret(after, limit) {
      const page = await reads.everyTaskPush(after && pushPlaceOf(after), limit);
      return page.map((push) => ({
        ...secretPlaceOf(push),
        jwe: push.credentials,
        updatedAt: push.createdAt,
      }));
    },
  };
}

export function rewrappedPushes(secrets: readonly RewrappedSecret[]): readonly RewrappedPush[] {
  return secrets.map(({ from, to, ...place }) => ({ ...pushPlaceOf(place), from, to }));
}
