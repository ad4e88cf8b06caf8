import type { AuditStore, ChainLeaf, LastCheckpoint } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import { StorageFullError } from '../ports/store.ts';
import { inLeafOrder, signCheckpoint } from './checkpoint.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * Signs how far each run has come: once a second while runs advance, and not at all while none does. It signs
 * only committed events, and writes only when the driver calls it, between two rounds.
 */
export interface Notary {
  /** Must be called after slices were committed. */
  witness(): void;
  isDue(): boolean;
  /** Signs all committed events that no checkpoint covers yet. */
  write(): Promise<void>;
  /** Cancels the timer. */
  stop(): void;
}

export interface NotaryOptions {
  readonly store: Pick<AuditStore, 'sign'>;
  readonly key: SigningKey;
  readonly clock: Clock;
  /** Called when a checkpoint is due. The driver then calls `write` when it can. */
  readonly ring: () => void;
}

const EVERY_MS = 1000;

export async function openNotary({ store, key, clock, ring }: NotaryOptions): Promise<Notary> {
  let due = false;
  let cancel: (() => void) | undefined;

  /** A new key signs a checkpoint at once, even if no run has advanced: it binds all earlier checkpoints. */
  function make(before: LastCheckpoint, found: readonly ChainLeaf[]) {
    const takesOver = before.newest !== undefined && before.newest.keyId !== key.keyId;
    if (found.length === 0 && !takesOver) return undefined;
    const leaves = inLeafOrder(found);
    const previous = { number: before.number, digest: before.newest?.digest ?? '' };
    return { checkpoint: signCheckpoint(previous, clock.now(), leaves, key), leaves };
  }

  function ringLater(): void {
    cancel ??= clock.at(clock.now() + EVERY_MS, () => {
      cancel = undefined;
      due = true;
      ring();
    });
  }

  /** When the disk is full, tries again later. */
  async function write(): Promise<void> {
    due = false;
    try {
      while (await store.sign(make));
    } catch (problem) {
      if (!(problem instanceof StorageFullError)) throw problem;
      ringLater();
    }
  }

  // Signs what a crash left unsigned.
  await write();

  return {
    witness: ringLater,
    isDue: () => due,
    write,
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
