import { runError } from '@baton/protocol';
import type { EffectOutcomeCommand } from '../commands.ts';
import type { Effect, Effects } from '../ports/effects.ts';

/** Performs each effect once per process, and reports its outcome as a command. */
interface EffectsInFlight {
  begin(effect: Effect): void;
}

export function effectsOf(
  port: Effects,
  report: (command: EffectOutcomeCommand, effect: Effect) => Promise<unknown>,
): EffectsInFlight {
  const inFlight = new Set<string>();
  return {
    begin(effect) {
      if (inFlight.has(effect.key)) return;
      inFlight.add(effect.key);
      const { key, runId, nodeId, execution, attempt } = effect;
      port
        .perform(effect)
        .catch((problem) => ({
          kind: 'failed' as const,
          error: runError('capability_not_provided', `The effect could not be performed: ${String(problem)}`),
        }))
        .then((outcome) =>
          report({ kind: 'effect-outcome', key, runId, nodeId, execution, attempt, outcome }, effect),
        )
        // Only after the outcome was stored: until then other slices of the tree still list the effect.
        .then(() => inFlight.delete(key));
    },
  };
}
