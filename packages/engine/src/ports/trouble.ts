/**
 * Trees that stopped the engine. When a process ends unexpectedly, the tree that it was working on may be the
 * cause. After the third time in a row the tree is held: it is kept unchanged and not computed, until an
 * operator releases it.
 */

/** A tree, with its tenant and its workflow. */
export interface TreeRef {
  readonly rootId: string;
  readonly tenant: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
}

/**
 * `lost`: the process or the engine thread ended unexpectedly three times while it worked on the tree.
 * `stalled`: the engine did not finish its work on the tree in time.
 * `kin`: three other runs of the same version of its workflow are held.
 */
export type HoldReason = 'lost' | 'stalled' | 'kin';

export interface TroubledTree extends TreeRef {
  /** How often in a row the process ended unexpectedly during work on the tree. */
  readonly losses: number;
  readonly held?: { readonly at: number; readonly reason: HoldReason };
}

/** The part that the driver uses. Changes are durable when a call resolves. */
export interface TroubleStore {
  /** Counts a loss and returns the losses in a row. 0 when the tree does not exist or has ended. */
  countLoss(rootId: string): Promise<number>;
  /** Sets the losses to 0, because the tree made progress. */
  forgetLosses(rootId: string): Promise<void>;
  /** Holds trees. `due` and `unfinished` no longer return them. */
  holdTrees(rootIds: readonly string[], reason: HoldReason, at: number): Promise<void>;
  /** Ends a hold, so that `unfinished` returns the tree again. False when the tree is not held. */
  releaseTree(rootId: string): Promise<boolean>;
  /** All trees that have not ended and have losses or are held. */
  troubledTrees(): Promise<readonly TroubledTree[]>;
}

export type Hold = NonNullable<TroubledTree['held']>;

export type HeldTree = TroubledTree & { readonly held: Hold };

/** The part that routes use. */
export interface TroubleReads {
  /** The held trees of all tenants, the newest hold first, and how many there are. Only for operators. */
  heldTrees(limit: number): Promise<{ readonly total: number; readonly trees: readonly HeldTree[] }>;
  /** How many trees of all tenants are held. */
  heldCount(): Promise<number>;
}
