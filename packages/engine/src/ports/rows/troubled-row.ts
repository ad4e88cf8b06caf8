import type { HeldTree, HoldReason, TreeRef, TroubledTree } from '../trouble.ts';

/** A row of a store that holds a troubled tree. */
export interface TroubledColumns extends TreeRef {
  readonly losses: number;
  readonly heldAt: number | null;
  readonly reason: HoldReason | null;
}

export function toTroubled({ heldAt, reason, ...tree }: TroubledColumns): TroubledTree {
  return heldAt === null || reason === null ? tree : { ...tree, held: { at: heldAt, reason } };
}

export function isHeld(tree: TroubledTree): tree is HeldTree {
  return tree.held !== undefined;
}
