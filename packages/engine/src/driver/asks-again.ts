import type { EffectIntent } from '@baton/protocol';
import { MODEL_CALL } from '../ports/agent-effects.ts';

/** Whether a replay performs an effect too and compares the outcome: a call to a model, where its author wants that. */
export function asksAgain({ kind }: EffectIntent, models: 'recorded' | 'live'): boolean {
  return kind === MODEL_CALL && models === 'live';
}
