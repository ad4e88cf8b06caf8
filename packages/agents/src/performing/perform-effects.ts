import type { Effect, EffectContext, EffectOutcome, Effects } from '@baton/engine/ports';
import { runError } from '@baton/protocol';

/** Performs one kind of effect. */
export type Performer = (effect: Effect, context: EffectContext) => Promise<EffectOutcome>;

/** An effect of an unknown kind fails its node, so that the node does not wait for ever. */
export function performEffects(
  performers: Readonly<Record<string, Performer>>,
  onPerformed: (kind: string) => void,
): Effects {
  return {
    async perform(effect, context) {
      const performer = Object.hasOwn(performers, effect.kind) ? performers[effect.kind] : undefined;
      if (performer === undefined) {
        const message = `This host cannot perform effects of the kind "${effect.kind}".`;
        return { kind: 'failed', error: runError('capability_not_provided', message) };
      }
      try {
        const outcome = await performer(effect, context);
        onPerformed(effect.kind);
        return outcome;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { kind: 'failed', error: { code: 'effect_failed', message } };
      }
    },
  };
}
