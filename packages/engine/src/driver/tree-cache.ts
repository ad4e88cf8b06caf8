import type { LoadedTree } from './loaded-tree.ts';

/**
 * The trees that were used last. There is room for more than one round touches, so that none leaves before
 * what it did is durable; one that is gone is loaded again from the store.
 */
export interface TreeCache {
  get(rootId: string): LoadedTree | undefined;
  keep(rootId: string, loaded: LoadedTree): void;
  evict(rootId: string): void;
}

const MAX_TREES = 512;

export function treeCache(): TreeCache {
  const trees = new Map<string, LoadedTree>();
  return {
    get: (rootId) => trees.get(rootId),
    keep(rootId, loaded) {
      trees.delete(rootId);
      trees.set(rootId, loaded);
      if (trees.size <= MAX_TREES) return;
      const oldest = trees.keys().next().value;
      if (oldest !== undefined) trees.delete(oldest);
    },
    evict: (rootId) => void trees.delete(rootId),
  };
}
