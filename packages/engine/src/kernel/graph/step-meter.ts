import type { Meter, RunLimits } from '@baton/protocol';

/** Bounds the steps of all expressions of one node together, or of all conditions before it. */
export interface StepMeter extends Meter {
  /** How large a result may be, in characters. */
  readonly maxCharacters: number;
}

/** A larger value does not fit into an event. */
const MAX_RESULT_CHARACTERS = 1024 * 1024;

export function stepMeter({ expressionSteps: limit }: Pick<RunLimits, 'expressionSteps'>): StepMeter {
  const what = 'the expressions of the node take together';
  return { what, limit, left: limit, maxCharacters: MAX_RESULT_CHARACTERS };
}
