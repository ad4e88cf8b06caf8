import { BatonError } from '@baton/protocol';
import type { Slice, Store } from '../../ports/store.ts';
import type { HoldReason, TreeRef } from '../../ports/trouble.ts';
import type { Loss } from '../../ports/work-in-hand.ts';

/**
 * Trees that are not computed, because they stopped the engine before. The store has the list of held trees.
 * This is a copy in memory, so that the store need not be read for every job.
 */
export interface HeldTrees {
  has(rootId: string): boolean;
  /**
   * Reads the held trees, and decides about the trees that were being computed when the engine was last lost.
   */
  recall(losses: readonly Loss[]): Promise<void>;
  /**
   * The trees that may be computed. Trees with losses come last, so that all others have made progress if the
   * engine is lost again. Trees of a version with many held trees are held from now on and left out.
   */
  admit(trees: readonly TreeRef[]): Promise<readonly TreeRef[]>;
  /**
   * Throws a refusal when so many runs of this version of the workflow are held that no new run may start.
   */
  refuseKin(kind: Omit<TreeRef, 'rootId'>): void;
  /** These slices are stored. Their trees made progress, so their losses are forgotten. */
  progressed(slices: readonly Slice[]): Promise<void>;
  /** Forgets a tree that has ended. */
  ended(rootId: string): void;
  /** False when the tree is not held. */
  release(rootId: string): Promise<boolean>;
}

/** A tree is held when the engine was lost this many times in a row while it computed the tree. */
const LOSSES_BEFORE_HOLD = 3;
/** When this many trees of one version of a workflow are held, its other trees are held too. */
const HELD_BEFORE_KIN = 3;

interface HeldTreesOptions {
  readonly store: Pick<
    Store,
    'countLoss' | 'forgetLosses' | 'holdTrees' | 'releaseTree' | 'troubledTrees' | 'run'
  >;
  readonly now: () => number;
  readonly log: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
}

export function heldTreesOf({ store, now, log }: HeldTreesOptions): HeldTrees {
  const held = heldByKind();
  const lossy = new Set<string>();

  async function hold(trees: readonly TreeRef[], reason: HoldReason): Promise<void> {
    await store.holdTrees(
      trees.map(({ rootId }) => rootId),
      reason,
      now(),
    );
    for (const tree of trees) {
      held.add(tree);
      log('error', HELD[reason], { ...tree, reason });
    }
  }

  async function judge({ rootId, how }: Loss): Promise<void> {
    const losses = await store.countLoss(rootId);
    const tree = losses === 0 ? undefined : await store.run(rootId);
    if (tree === undefined) return;
    const { tenant, workflowId, workflowVersion } = tree;
    const ref = { rootId, tenant, workflowId, workflowVersion };
    if (how === 'stalled') await hold([ref], 'stalled');
    else if (losses >= LOSSES_BEFORE_HOLD) await hold([ref], 'lost');
    else log('warn', 'the engine was lost while it computed this tree', { ...ref, losses });
  }

  return {
    has: held.has,
    async recall(losses) {
      for (const loss of losses) await judge(loss);
      for (const tree of await store.troubledTrees()) {
        if (tree.held) held.add(tree);
        else lossy.add(tree.rootId);
      }
    },
    async admit(trees) {
      const kin = trees.filter((tree) => !held.has(tree.rootId) && held.likeOf(tree));
      if (kin.length > 0) await hold(kin, 'kin');
      if (held.size() === 0 && lossy.size === 0) return trees;
      const free = trees.filter(({ rootId }) => !held.has(rootId));
      const isSuspect = ({ rootId }: TreeRef) => lossy.has(rootId);
      return [...free.filter((tree) => !isSuspect(tree)), ...free.filter(isSuspect)];
    },
    refuseKin(kind) {
      if (!held.likeOf(kind)) return;
      const message = `Runs of version ${kind.workflowVersion} of "${kind.workflowId}" stopped the engine and are held; register a changed version, or have an operator release them.`;
      throw new BatonError('run_held', message, { workflowId: kind.workflowId });
    },
    async progressed(slices) {
      if (lossy.size === 0) return;
      for (const { rootId, runs } of slices) {
        if (runs.length > 0 && lossy.delete(rootId)) await store.forgetLosses(rootId);
      }
    },
    ended: held.remove,
    async release(rootId) {
      if (!(await store.releaseTree(rootId))) return false;
      held.remove(rootId);
      return true;
    },
  };
}

/** The held trees, counted by the version of their workflow. */
function heldByKind() {
  const kinds = new Map<string, string>();
  const counts = new Map<string, number>();
  const count = (kind: string, change: number) => counts.set(kind, (counts.get(kind) ?? 0) + change);
  return {
    has: (rootId: string) => kinds.has(rootId),
    size: () => kinds.size,
    /** Whether so many trees of this version are held that its other trees are held too. */
    likeOf: (kind: Omit<TreeRef, 'rootId'>) =>
      kinds.size >= HELD_BEFORE_KIN && (counts.get(kindOf(kind)) ?? 0) >= HELD_BEFORE_KIN,
    add(tree: TreeRef): void {
      if (kinds.has(tree.rootId)) return;
      const kind = kindOf(tree);
      kinds.set(tree.rootId, kind);
      count(kind, 1);
    },
    remove(rootId: string): void {
      const kind = kinds.get(rootId);
      if (kind !== undefined) count(kind, -1);
      kinds.delete(rootId);
    },
  };
}

const HELD: Record<HoldReason, string> = {
  lost: 'a tree is held: the engine was lost three times while it computed the tree',
  stalled: 'a tree is held: the engine did not finish computing it',
  kin: 'a tree is held: other runs of the same workflow stopped the engine',
};

function kindOf({ tenant, workflowId, workflowVersion }: Omit<TreeRef, 'rootId'>): string {
  return JSON.stringify([tenant, workflowId, workflowVersion]);
}
