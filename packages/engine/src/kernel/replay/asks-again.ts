import type { EffectIntent } from '@baton/protocol';
import type { WorkingRun } from '../working-run.ts';
import { holdsForeignSeal } from './foreign-seals.ts';

/**
 * Whether a replay performs the effect too and compares the answer. If the request has values that this host
 * cannot open, it would be a different request, so the effect is not performed. An older log (step 0) holds
 * all attempts to get an answer as one outcome, which cannot be compared with one attempt.
 */
export function asksAgain(working: WorkingRun, step: number, effect: EffectIntent): boolean {
  const models = working.run.fork?.models ?? 'recorded';
  if (step === 0 || !working.tree.world.asksAgain(effect, models)) return false;
  return !holdsForeignSeal(working, JSON.stringify(effect.request));
}
