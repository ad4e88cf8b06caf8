import type { Effect, EffectOutcome } from '@baton/engine/ports';
import type { Performer } from '../effects.ts';

/** Effects of the node types that conformance suites drive. */
export const SEAM_PERFORMERS: Readonly<Record<string, Performer>> = {
  'conformance.side-effect': performNothing,
};

/** Nothing is behind it: a suite counts how often it was performed, to see that a replay does not repeat it. */
async function performNothing(effect: Effect): Promise<EffectOutcome> {
  return { kind: 'done', outputs: { performed: true, idempotencyKey: effect.key } };
}
