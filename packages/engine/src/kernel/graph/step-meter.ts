import type { Meter, RunLimits } from '@baton/protocol';

/** Bounds the steps of all expressions of one node together, or of all conditions before it. */
export interface StepMeter extends Meter {
  /** The bound of each single evaluation, for runs whose recorded limits have no `expressionSteps`. */
  readonly each?: number;
  /** How large a result may be, in characters. */
  readonly maxCharacters: number;
}

/** The bounds of runs that were started before `expressionSteps` was recorded. */
const UNRECORDED = { each: 5_000_000, together: 50_000_000, maxCharacters: 32 * 1024 * 1024 };

/** A larger value does not fit into an event. */
const MAX_RESULT_CHARACTERS = 1024 * 1024;

const WHAT = 'the expressions of the node take together';

export function stepMeter({ expressionSteps: limit }: RunLimits): StepMeter {
  if (limit !== undefined) return { what: WHAT, limit, left: limit, maxCharacters: MAX_RESULT_CHARACTERS };
  const { each, together, maxCharacters } = UNRECORDED;
  return { what: WHAT, limit: together, left: together, each, maxCharacters };
}
