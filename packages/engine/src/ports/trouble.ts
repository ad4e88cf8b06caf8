/**
 * Trees that stopped the engine. A tree that was being worked on when its process was lost may be the reason; at the
 * third loss in a row it is held: kept as it is, and not computed, until an operator releases it.
 */

/** A tree, with the names that tell whose it is and what it runs. */
export interface TreeRef {
  readonly rootId: string;
  readonly tenant: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
}

/**
 * `lost`: the process or the engine's thread was lost three times while it worked on the tree.
 * `stalled`: the engine did not come back from it.
 * `kin`: three other runs of the same version of its workflow are held.
 */
export type HoldReason = 'lost' | 'stalled' | 'kin';

export interface TroubledTree extends TreeRef {
  /** How often in a row the process was lost during work on it. */
  readonly losses: number;
  readonly held?: { readonly at: number; readonly reason: HoldReason };
}

/** The driver's side. All of it is durable when it resolves. */
export interface TroubleStore {
  /** Counts a loss and answers how many there are now in a row; 0 when there is no such tree, or it has ended. */
  countLoss(rootId: string): Promise<number>;
  /** The tree made progress: its losses no longer count. */
  forgetLosses(rootId: string): Promise<void>;
  /** Holds trees: they are neither due nor unfinished any more. */
  holdTrees(rootIds: readonly string[], reason: HoldReason, at: number): Promise<void>;
  /** Ends a hold, so that the tree is unfinished again. False when it is not held. */
  releaseTree(rootId: string): Promise<boolean>;
  /** Every tree with losses or a hold that has not ended. */
  troubledTrees(): Promise<readonly TroubledTree[]>;
}

export type Hold = NonNullable<TroubledTree['held']>;

export type HeldTree = TroubledTree & { readonly held: Hold };

/** For people. */
export interface TroubleReads {
  /** Trees of all tenants that are held, the newest hold first. Only for those who run the host. */
  heldTrees(limit: number): readonly HeldTree[];
  /** How many trees of all tenants are held. */
  heldCount(): number;
  /** The hold on a tree of the tenant. */
  hold(tenant: string, rootId: string): Hold | undefined;
}
