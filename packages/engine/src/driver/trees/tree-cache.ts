import type { LoadedTree } from './loaded-tree.ts';

/**
 * The trees that were used last. The cache has room for more trees than one round uses, so that no tree is
 * removed before its slice is stored. A tree that was removed is loaded from the store again. The bytes are
 * bounded too, so that a few hundred large trees do not fill the memory of the engine.
 */
export interface TreeCache {
  get(rootId: string): LoadedTree | undefined;
  /** Must also be called when a tree has grown. */
  keep(rootId: string, loaded: LoadedTree): void;
  evict(rootId: string): void;
  /** Removes the oldest trees while the cache is too large. Call it only when all slices are stored. */
  shrink(): void;
}

interface CacheBounds {
  readonly trees: number;
  readonly bytes: number;
}

const BOUNDS: CacheBounds = { trees: 512, bytes: 64 * 1024 * 1024 };

interface Kept {
  readonly loaded: LoadedTree;
  readonly bytes: number;
}

export function treeCache(bounds: CacheBounds = BOUNDS): TreeCache {
  const trees = new Map<string, Kept>();
  let bytes = 0;

  function evict(rootId: string): void {
    const kept = trees.get(rootId);
    if (kept === undefined) return;
    trees.delete(rootId);
    bytes -= kept.bytes;
  }

  function evictOldest(): void {
    const oldest = trees.keys().next().value;
    if (oldest !== undefined) evict(oldest);
  }

  return {
    get: (rootId) => trees.get(rootId)?.loaded,
    keep(rootId, loaded) {
      evict(rootId);
      const kept = { loaded, bytes: bytesOf(loaded) };
      trees.set(rootId, kept);
      bytes += kept.bytes;
      if (trees.size > bounds.trees) evictOldest();
    },
    evict,
    shrink() {
      while (bytes > bounds.bytes && trees.size > 0) evictOldest();
    },
  };
}

/** The state of a run in memory is about as large as its saved state and the events after it. */
function bytesOf({ stored }: LoadedTree): number {
  let sum = 0;
  for (const { tailBytes, savedStateBytes } of stored.values()) sum += tailBytes + savedStateBytes;
  return sum;
}
