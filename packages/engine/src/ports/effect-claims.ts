/** Which host performs an effect. Each effect that is not settled has one owner. */

export interface EffectRef {
  readonly runId: string;
  readonly key: string;
}

/** An effect that any host which performs its kind may take. Until then it has no owner. */
export interface EffectOffer {
  readonly kind: string;
  /** From when on it may be performed, in epoch milliseconds. */
  readonly at: number;
}

export interface BegunEffect extends EffectRef {
  /** Absent: the host that made the slice owns the effect. */
  readonly offer?: EffectOffer;
}

/** The effects of a tree that a slice intends and settles. */
export interface SliceEffects {
  /** The host that performs the effects that the slice intends, except those that it offers. */
  readonly owner: string;
  readonly begun: readonly BegunEffect[];
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

/** A host offers effects that it has found without an owner at work, and that it does not perform itself. */
export interface EffectOffers extends Omit<EffectClaim, 'owner' | 'effects'> {
  readonly effects: readonly (EffectRef & { readonly offer: EffectOffer })[];
}

/** A host gives up effects that it owns and has not begun, because their run is paused, or because the host stops. */
export interface EffectRelease {
  readonly owner: string;
  readonly rootId: string;
  /** The place of the tree's newest event when the run was found to be paused. */
  readonly from: number;
  readonly effects: readonly ReleasedEffect[];
}

export interface ReleasedEffect extends EffectRef {
  /** A host before this one may have performed the effect. The host that claims it next is told so. */
  readonly inDoubt?: boolean;
}

/**
 * The owner of an effect that no host has, and that a lost host may have performed. No host has this name, so every host
 * may claim the effect, and then finds that it had an owner.
 */
export const IN_DOUBT = 'in doubt';

/** An effect that the claimant owns now. */
export interface ClaimedEffect {
  readonly key: string;
  /**
   * It had an owner before, who may have performed it. An effect that was only offered, or that was released without a
   * doubt, has not begun.
   */
  readonly hadOwner: boolean;
}

/** Asks for offers that nobody has taken up. */
export interface LeftOffersQuery {
  readonly kinds: readonly string[];
  /** The owners that are at work. Their effects are not left. */
  readonly alive: readonly string[];
  /** Only offers from before this time. */
  readonly before: number;
  /** They count as offered at this time from now on, so that the next question finds others first. */
  readonly now: number;
  readonly limit: number;
}

export interface LeftOffer {
  readonly rootId: string;
  readonly tenant: string;
  readonly key: string;
}

export interface EffectClaims {
  /**
   * Makes the claimant the owner of the effects that have no owner, or one that is not at work. Returns
   * those that the claimant owns now. If the tree has moved since, one of the effects may be settled
   * already: then nothing is claimed, and the answer is `moved`.
   */
  claimEffects(claim: EffectClaim): Promise<readonly ClaimedEffect[] | 'moved'>;
  /**
   * The effects of this owner have no owner any more, so that the host that resumes their run can claim them. Those
   * that were offered are offered again.
   * If the tree has moved since, its run may have been resumed already: then nothing is released, and the
   * answer is `moved`.
   */
  releaseEffects(release: EffectRelease): Promise<'released' | 'moved'>;
  /**
   * Offers effects whose owner is not at work, or that have none and were never offered. Returns the keys of those that
   * are offered now. The host that claims an effect of a lost owner is told that it had one. If the tree has moved since,
   * nothing is offered.
   */
  offerEffects(offer: EffectOffers): Promise<readonly string[] | 'moved'>;
  /** The offered effects that no host at work has, the oldest offers first. None of a run that is paused. */
  leftOffers(query: LeftOffersQuery): Promise<readonly LeftOffer[]>;
}
