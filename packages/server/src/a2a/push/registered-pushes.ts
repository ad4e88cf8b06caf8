import type { TaskPush, TaskPushPlace, TaskPushReads, TaskPushWrite } from '@baton/engine/ports';
import { BatonError } from '@baton/protocol';
import type { TenantSecrets } from '../../secrets/tenant-secrets.ts';
import { type PushCredentials, wrapCredentials } from './credentials.ts';

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
