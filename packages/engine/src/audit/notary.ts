import type { AuditStore, ChainLeaf, SignedCheckpoint } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import { type Slice, StorageFullError } from '../ports/store.ts';
import { inLeafOrder, signCheckpoint } from './checkpoint.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * Signs how far each run has come: once a second while runs advance, and not at all while none does. It signs
 * only committed events, and writes only when the driver calls it, between two rounds.
 */
export interface Notary {
  /** Must be called after these slices were committed. */
  witness(slices: readonly Slice[]): void;
  isDue(): boolean;
  /** Writes one checkpoint that covers all runs that advanced since the last one. */
  write(): Promise<void>;
  /** Cancels the timer. */
  stop(): void;
}

interface NotaryOptions {
  readonly store: AuditStore;
  readonly key: SigningKey;
  readonly clock: Clock;
  /** Called when a checkpoint is due. The driver then calls `write` when it can. */
  readonly ring: () => void;
}

const EVERY_MS = 1000;

export async function openNotary({ store, key, clock, ring }: NotaryOptions): Promise<Notary> {
  const moved = new Map<string, ChainLeaf>();
  let newest: SignedCheckpoint | undefined = await store.newestCheckpoint();
  // Checkpoints may have been removed. Their numbers are never used again, so that an audit finds the gap.
  let last = await store.lastCheckpointNumber();
  let behind = true;
  let due = false;
  let cancel: (() => void) | undefined;

  async function put(leaves: readonly ChainLeaf[], upTo?: number): Promise<void> {
    const checkpoint = signCheckpoint(
      { number: last, digest: newest?.digest ?? '' },
      clock.now(),
      leaves,
      key,
    );
    await store.putCheckpoint(checkpoint, leaves, upTo);
    newest = checkpoint;
    last = checkpoint.number;
  }

  function ringLater(): void {
    cancel ??= clock.at(clock.now() + EVERY_MS, () => {
      cancel = undefined;
      due = true;
      ring();
    });
  }

  /** Signs what a crash left unsigned. A new key signs a checkpoint at once, which binds all earlier ones. */
  async function catchUp(): Promise<void> {
    let found = await store.uncovered();
    const takesOver = newest !== undefined && newest.keyId !== key.keyId;
    if (takesOver && found === undefined) await put([]);
    for (; found !== undefined; found = await store.uncovered()) {
      await put(inLeafOrder(found.leaves), found.upTo);
    }
    behind = false;
  }

  /** When the disk is full, tries again later. */
  async function tryTo(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (problem) {
      if (!(problem instanceof StorageFullError)) throw problem;
      ringLater();
    }
  }

  await tryTo(catchUp);

  return {
    witness(slices) {
      for (const slice of slices) {
        for (const { runId, expectedHead, events, chain } of slice.runs) {
          if (chain === undefined || events.length === 0) continue;
          moved.set(runId, { runId, head: expectedHead + events.length, link: chain });
        }
      }
      if (moved.size > 0) ringLater();
    },
    isDue: () => due,
    write: () =>
      tryTo(async () => {
        due = false;
        if (behind) await catchUp();
        if (moved.size === 0) return;
        await put(inLeafOrder(moved.values()));
        moved.clear();
      }),
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
