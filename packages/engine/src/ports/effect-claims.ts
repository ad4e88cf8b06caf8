/** Which host performs an effect. Each effect that is not settled has one owner. */

export interface EffectRef {
  readonly runId: string;
  readonly key: string;
}

/** The effects of a tree that a slice intends and settles. */
export interface SliceEffects {
  /** The host that performs the effects that the slice intends. */
  readonly owner: string;
  readonly begun: readonly EffectRef[];
  /** `all`: every effect of the runs of the slice. */
  readonly settled: readonly EffectRef[] | 'all';
}

/** A host asks for effects that it has read from the store, for example because their owner was lost. */
export interface EffectClaim {
  readonly owner: string;
  /** The owners that are at work. Their effects cannot be claimed. */
  readonly alive: readonly string[];
  readonly rootId: string;
  /** The place of the tree's newest event when the effects were read. */
  readonly from: number;
  readonly effects: readonly EffectRef[];
}

/** A host gives up effects that it owns and has not begun, because their run is paused. */
export interface EffectRelease {
  readonly owner: string;
  readonly rootId: string;
  /** The place of the tree's newest event when the run was found to be paused. */
  readonly from: number;
  readonly effects: readonly EffectRef[];
}

/** An effect that the claimant owns now. */
export interface ClaimedEffect {
  readonly key: string;
  /** It had an owner before, who may have performed it. An effect that was released has not begun. */
  readonly hadOwner: boolean;
}

export interface EffectClaims {
  /**
   * Makes the claimant the owner of the effects that have no owner, or one that is not at work. Returns
   * those that the claimant owns now. If the tree has moved since, one of the effects may be settled
   * already: then nothing is claimed, and the answer is `moved`.
   */
  claimEffects(claim: EffectClaim): Promise<readonly ClaimedEffect[] | 'moved'>;
  /**
   * The effects of this owner have no owner any more, so that the host that resumes their run can claim them.
   * If the tree has moved since, its run may have been resumed already: then nothing is released, and the
   * answer is `moved`.
   */
  releaseEffects(release: EffectRelease): Promise<'released' | 'moved'>;
}
