import type { Meter, RunLimits } from '@baton/protocol';

/** Bounds what the expressions of one node, or the conditions before it, may do together. */
export interface StepMeter extends Meter {
  /** What each evaluation may do by itself, in runs whose limits do not say. */
  readonly each?: number;
  /** How large a result may be, in characters. */
  readonly maxCharacters: number;
}

/** What runs were bounded by before their limits said so: each evaluation by itself, and any number of them. */
const UNRECORDED = { each: 5_000_000, together: 50_000_000, maxCharacters: 32 * 1024 * 1024 };

/** A larger value does not fit into an event. */
const MAX_RESULT_CHARACTERS = 1024 * 1024;

const WHAT = 'the expressions of the node take together';

export function stepMeter({ expressionSteps: limit }: RunLimits): StepMeter {
  if (limit !== undefined) return { what: WHAT, limit, left: limit, maxCharacters: MAX_RESULT_CHARACTERS };
  const { each, together, maxCharacters } = UNRECORDED;
  return { what: WHAT, limit: together, left: together, each, maxCharacters };
}
