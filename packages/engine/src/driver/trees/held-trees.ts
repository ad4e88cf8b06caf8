import { BatonError } from '@baton/protocol';
import type { Slice, Store } from '../../ports/store.ts';
import type { HoldReason, TreeRef } from '../../ports/trouble.ts';
import type { Loss } from '../../ports/work-in-hand.ts';

/**
 * Trees that are not worked on, because they stopped the engine before. What is held is in the store; this is the
 * memory of it, so that nobody has to ask for every job.
 */
export interface HeldTrees {
  has(rootId: string): boolean;
  /** Reads what is held, and judges the tree that was being worked on when the engine was last lost. */
  recall(losses: readonly Loss[]): Promise<void>;
  /**
   * The trees that may be worked on, those with losses last: all others have got on by then, whatever the suspects do.
   * The rest is held from now on.
   */
  admit(trees: readonly TreeRef[]): Promise<readonly TreeRef[]>;
  /** Throws a refusal where runs of the same version of the workflow are held, and a new one would go the same way. */
  refuseKin(kind: Omit<TreeRef, 'rootId'>): void;
  /** These slices are durable: the trees that they are of made progress. */
  progressed(slices: readonly Slice[]): Promise<void>;
  /** The tree has ended. */
  ended(rootId: string): void;
  /** False when it is not held. */
  release(rootId: string): Promise<boolean>;
}

/** The third loss in a row is no accident. */
const LOSSES_BEFORE_HOLD = 3;
/** So many held runs of one version of a workflow, and its other runs are not tried any more. */
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
    else log('warn', 'a tree was being worked on when the engine was lost', { ...ref, losses });
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
    /** Whether so many trees of this version are held that its other trees are not tried any more. */
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
  lost: 'a tree is held: the engine was lost three times while it worked on it',
  stalled: 'a tree is held: the engine did not come back from it',
  kin: 'a tree is held: other runs of the same workflow stopped the engine',
};

function kindOf({ tenant, workflowId, workflowVersion }: Omit<TreeRef, 'rootId'>): string {
  return JSON.stringify([tenant, workflowId, workflowVersion]);
}
