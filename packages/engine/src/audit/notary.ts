import type { AuditStore, ChainLeaf, LastCheckpoint } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import { mayPass } from '../ports/store.ts';
import { CHECKPOINT_EVERY_MS, endsLog, inLeafOrder, signCheckpoint } from './checkpoint.ts';
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

interface NotaryOptions {
  readonly store: Pick<AuditStore, 'sign'>;
  readonly key: SigningKey;
  readonly clock: Clock;
  /** Called when a checkpoint is due. The driver then calls `write` when it can. */
  readonly ring: () => void;
}

export async function openNotary({ store, key, clock, ring }: NotaryOptions): Promise<Notary> {
  let due = false;
  let cancel: (() => void) | undefined;

  /**
   * A new key, or a new rule for signing, begins an audit log at once, even if no run has advanced. Its first
   * checkpoint binds all earlier ones.
   */
  function make(before: LastCheckpoint, found: readonly ChainLeaf[]) {
    const beginsLog = before.newest !== undefined && endsLog(before.newest, key);
    if (found.length === 0 && !beginsLog) return undefined;
    const leaves = inLeafOrder(found);
    return { checkpoint: signCheckpoint(before, clock.now(), leaves, key), leaves };
  }

  function ringLater(): void {
    cancel ??= clock.at(clock.now() + CHECKPOINT_EVERY_MS, () => {
      cancel = undefined;
      due = true;
      ring();
    });
  }

  /** When the disk is full or the store cannot be reached, tries again later. */
  async function write(): Promise<void> {
    due = false;
    try {
      while (await store.sign(make));
    } catch (problem) {
      if (!mayPass(problem)) throw problem;
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
