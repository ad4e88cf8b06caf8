import type { TaskPush, TaskPushPlace, TaskPushReads, TaskPushWrite } from '@baton/engine/ports';
import { BatonError } from '@baton/protocol';
import type { TenantSecrets } from '../../secrets/tenant-secrets.ts';
import { secretPlaceOf } from './stored-credentials.ts';

/** The pushes that callers have asked for. */
export interface RegisteredPushes {
  /** Refuses an address that nothing would be sent to. */
  judge(tenant: string, url: string): Promise<void>;
  put(push: NewPush, credentials: PushCredentials): Promise<TaskPush>;
  list(tenant: string, runId: string): Promise<readonly TaskPush[]>;
  /** Does nothing when there is no such push. */
  delete(place: TaskPushPlace): Promise<void>;
}

type NewPush = TaskPushPlace & Pick<TaskPush, 'url' | 'version'>;

interface RegisteredPushesParts {
  readonly reads: Pick<TaskPushReads, 'taskPushes'>;
  readonly secrets: Pick<TenantSecrets, 'wrap'>;
  /** Returns how many rows were changed. */
  readonly write: (write: TaskPushWrite) => Promise<number>;
  readonly judge: RegisteredPushes['judge'];
  readonly onPut: (push: TaskPush) => void;
  readonly now: () => number;
}

const MOST_PUSHES = 10;

export function registeredPushes(parts: RegisteredPushesParts): RegisteredPushes {
  const { reads, secrets, write, judge, onPut, now } = parts;
  return {
    judge,
    async put(asked, credentials) {
      const stored = await wrapCredentials(secrets, asked, credentials, async (jwe) => {
        const push: TaskPush = { ...asked, credentials: jwe, createdAt: now(), tries: 0 };
        const changed = await write({ do: 'put', push, most: MOST_PUSHES });
        if (changed > 0) return push;
        const message = `A task has at most ${MOST_PUSHES} push configurations; delete one first.`;
        throw new BatonError('validation_error', message, { field: 'id' });
      });
      onPut(stored);
      return stored;
    },
    list: (tenant, runId) => reads.taskPushes(tenant, runId),
    async delete(place) {
      await write({ do: 'delete', place });
    },
  };
}

/** What proves the host to the receiver of a push. It is stored encrypted, like a secret of the tenant. */
export interface PushCredentials {
  /** Sent as it is, and signs the push. */
  readonly token?: string;
  /** The value of the header `Authorization`. */
  readonly authorization?: string;
}

function wrapCredentials<T>(
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
