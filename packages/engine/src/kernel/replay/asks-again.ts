import type { EffectIntent } from '@baton/protocol';
import type { WorkingRun } from '../working-run.ts';
import { holdsForeignSeal } from './foreign-seals.ts';

/**
 * Whether a replay performs the effect too and compares the answer. If the request has values that this host
 * cannot open, it would be a different request, so the effect is not performed.
 */
export function asksAgain(working: WorkingRun, effect: EffectIntent): boolean {
  const models = working.run.fork?.models ?? 'recorded';
  if (!working.tree.world.asksAgain(effect, models)) return false;
  return !holdsForeignSeal(working, JSON.stringify(effect.request));
}
