import { BatonError, MAX_SECRETS } from '@baton/protocol';
import type { DeleteSecretCommand, PutSecretCommand } from '../commands.ts';
import type { Store } from '../ports/store.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';

/** Stores and deletes the secrets of a tenant. The engine never sees their values in a command. */

export async function putSecret(
  store: Pick<Store, 'putSecret'>,
  { caller, name, jwe }: PutSecretCommand,
  now: number,
): Promise<Outcome> {
  const secret = { tenant: caller.tenant, name, jwe, updatedAt: now };
  if (!(await store.putSecret(secret, MAX_SECRETS))) {
    throw new BatonError('secret_limit_reached', undefined, { maxSecrets: MAX_SECRETS });
  }
  return { reply: done({ kind: 'secret', name, updatedAt: now }) };
}

export async function deleteSecret(
  store: Pick<Store, 'deleteSecret'>,
  { caller, name }: DeleteSecretCommand,
): Promise<Outcome> {
  if (await store.deleteSecret(caller.tenant, name)) return { reply: done({ kind: 'done' }) };
  throw new BatonError('not_found', 'There is no such secret.', { name });
}
