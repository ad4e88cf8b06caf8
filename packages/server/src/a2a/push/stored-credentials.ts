import type {
  RewrappedPush,
  RewrappedSecret,
  SecretReads,
  TaskPushPlace,
  TaskPushReads,
} from '@baton/engine/ports';

/** The credentials of pushes among the other encrypted values of a host. */

const NAME = 'push:';

/** The name of the credentials among other encrypted values. No secret of a tenant has a colon in its name. */
export function secretPlaceOf({ tenant, runId, pushId }: TaskPushPlace) {
  return { tenant, name: `${NAME}${runId}/${pushId}` };
}

/** The place of a push, from the name of its credentials. An id of a run has no slash. */
function pushPlaceOf({ tenant, name }: { readonly tenant: string; readonly name: string }): TaskPushPlace {
  const at = name.indexOf('/');
  return { tenant, runId: name.slice(NAME.length, at), pushId: name.slice(at + 1) };
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
