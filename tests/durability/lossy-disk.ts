import { type Change, type FileImage, fileImage } from './file-image.ts';
import type { Random } from './random.ts';
import { survivors } from './survivors.ts';

/**
 * A disk that has only promised what was synced. Reads see every write, as through a page cache; after a
 * power loss each file is what was last synced, plus whatever part of the later changes happened to get there.
 */
export interface LossyDisk {
  exists(name: string): boolean;
  size(name: string): number;
  /** How many bytes there were to read. */
  read(name: string, at: number, into: Uint8Array): number;
  create(name: string): void;
  write(name: string, at: number, bytes: Uint8Array): void;
  truncate(name: string, size: number): void;
  remove(name: string): void;
  sync(name: string): void;
  /** Until this, a power loss may undo that files were created or removed. */
  syncFolder(): void;
  /** Lets that many more changes through; then everything fails, in the middle of whatever is going on. */
  cutPowerAfter(changes: number): void;
  /** The disk as it may be found when the power is back. */
  afterPowerLoss(random: Random): LossyDisk;
}

interface DiskFile {
  readonly synced: FileImage;
  readonly current: FileImage;
  readonly unsynced: Change[];
}

export function lossyDisk(found: ReadonlyMap<string, FileImage> = new Map()): LossyDisk {
  const files = new Map<string, DiskFile>();
  const created = new Set<string>();
  const removed = new Map<string, FileImage>();
  for (const [name, synced] of found) files.set(name, { synced, current: synced.copy(), unsynced: [] });
  let changesLeft = Number.POSITIVE_INFINITY;

  const file = (name: string): DiskFile => {
    const one = files.get(name);
    if (one === undefined || changesLeft <= 0) throw new Error(`cannot reach ${name}`);
    return one;
  };
  const spend = () => {
    changesLeft -= 1;
    if (changesLeft <= 0) throw new Error('the power is gone');
  };
  const change = (name: string, made: Change) => {
    const one = file(name);
    one.unsynced.push(made);
    spend();
    one.current.apply(made);
  };

  return {
    exists: (name) => files.has(name),
    size: (name) => file(name).current.size(),
    read(name, at, into) {
      const part = file(name).current.bytes(at, at + into.length);
      into.set(part);
      return part.length;
    },
    create(name) {
      if (files.has(name)) return;
      files.set(name, { synced: fileImage(), current: fileImage(), unsynced: [] });
      created.add(name);
    },
    write: (name, at, bytes) => change(name, { kind: 'write', at, bytes: bytes.slice() }),
    truncate: (name, size) => change(name, { kind: 'truncate', size }),
    remove(name) {
      const one = file(name);
      spend();
      files.delete(name);
      if (!created.delete(name)) removed.set(name, one.synced);
    },
    sync(name) {
      const one = file(name);
      spend();
      for (const made of one.unsynced.splice(0)) one.synced.apply(made);
    },
    syncFolder() {
      spend();
      created.clear();
      removed.clear();
    },
    cutPowerAfter: (changes) => {
      changesLeft = changes;
    },
    afterPowerLoss(random) {
      const kept = new Map([...removed].filter(() => random.chance(0.5)));
      for (const [name, { synced, unsynced }] of files) {
        if (created.has(name) && random.chance(0.5)) continue;
        const image = synced.copy();
        for (const made of survivors(unsynced, random)) image.apply(made);
        kept.set(name, image);
      }
      return lossyDisk(kept);
    },
  };
}
