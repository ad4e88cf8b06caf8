import { BatonError } from '@baton/protocol';
import type { Command } from '../commands.ts';
import type { Store } from '../ports/store.ts';

/**
 * Limits how much a tenant may store. When a tenant has reached its limit, its new work is refused and its
 * runs under way fail at their next step. Ending, erasing, deleting and reading stay possible.
 */
export interface StorageRoom {
  /** Throws a refusal when the command would exceed the limit of its tenant. */
  admit(command: Command): Promise<void>;
  isFull(tenant: string): Promise<boolean>;
  /** Forgets the sizes that were read in this round. */
  roundEnded(): void;
}

/** `limit` is in bytes. 0 means no limit. Otherwise the size of a tenant is read once in each round. */
export function storageRoomOf(store: Pick<Store, 'bytesOf'>, limit: number): StorageRoom {
  const known = new Map<string, number>();

  async function stored(tenant: string): Promise<number> {
    const bytes = known.get(tenant) ?? (await store.bytesOf(tenant));
    known.set(tenant, bytes);
    return bytes;
  }

  /** `more` is the size that the command adds. It counts for the later commands of the same round. */
  async function require(tenant: string, more = 0): Promise<void> {
    const bytes = await stored(tenant);
    if (bytes < limit && bytes + more <= limit) known.set(tenant, bytes + more);
    else throw new BatonError('tenant_storage_full', undefined, { limitBytes: limit, storedBytes: bytes });
  }

  return {
    async admit(command) {
      if (limit === 0) return;
      switch (command.kind) {
        case 'create-run':
        case 'fork-run':
        case 'retry-run':
        case 'resume-run':
        case 'resolve-interrupt':
        case 'extension-on-run':
          return require(command.caller.tenant);
        case 'register-workflow':
        case 'register-agent':
          return command.shared ? undefined : require(command.caller.tenant);
        case 'put-file':
          return require(command.caller.tenant, Buffer.byteLength(command.content));
        case 'check-workflow':
        case 'pause-run':
        case 'cancel-run':
        case 'erase-run':
        case 'release-run':
        case 'delete-file':
        case 'put-secret':
        case 'delete-secret':
        case 'rewrap-secrets':
        case 'write-webhooks':
        case 'write-task-pushes':
        case 'settle-remote-cancel':
        case 'extension':
        case 'effect-outcome':
          return;
      }
    },
    isFull: async (tenant) => limit > 0 && (await stored(tenant)) >= limit,
    roundEnded: () => known.clear(),
  };
}
