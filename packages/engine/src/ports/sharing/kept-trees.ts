import type { TreeRef } from '../trouble.ts';

/**
 * Where several hosts share a store, one of them keeps each tree: it goes on with an unfinished slice, and rings the
 * deadline of the tree. This is the host that has last set the wake-up time of the tree. A command may be carried out by
 * any host. If only one host can use the store, it keeps every tree.
 */
export interface KeptTrees {
  /**
   * Makes this host the keeper of a tree. The slices with which another host goes on with the tree are refused from
   * then on.
   */
  takeTree(rootId: string): Promise<void>;
  /** Makes this host the keeper of a tree that is due at this time. Nothing if the tree is not due. */
  ringTree(rootId: string, now: number): Promise<TreeRef | undefined>;
  /**
   * Makes this host the keeper of trees whose keeper is no longer at work, at most `limit`, and returns those that are
   * unfinished. None are left when it returns none.
   */
  adoptTrees(limit: number): Promise<readonly TreeRef[]>;
}
