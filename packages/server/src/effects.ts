import type { Effect, EffectOutcome, Effects } from '@baton/engine/ports';
import { runError } from '@baton/protocol';

/** Performs one kind of effect. */
export type Performer = (effect: Effect) => Promise<EffectOutcome>;

/** Effects that need no other part of the host. To add a kind, add it here or to the list in `host.ts`. */
export const PERFORMERS: Readonly<Record<string, Performer>> = {
  'conformance.side-effect': performNothing,
};

/** Does nothing. A conformance suite counts the calls, to check that a replay does not repeat them. */
async function performNothing(effect: Effect): Promise<EffectOutcome> {
  return { kind: 'done', outputs: { performed: true, idempotencyKey: effect.key } };
}

/** An effect of an unknown kind fails its node, so that the node does not wait for ever. */
export function performEffects(
  performers: Readonly<Record<string, Performer>>,
  onPerformed: (kind: string) => void,
): Effects {
  return {
    async perform(effect) {
      const performer = Object.hasOwn(performers, effect.kind) ? performers[effect.kind] : undefined;
      if (performer === undefined) {
        const message = `This host cannot perform effects of the kind "${effect.kind}".`;
        return { kind: 'failed', error: runError('capability_not_provided', message) };
      }
      try {
        const outcome = await performer(effect);
        onPerformed(effect.kind);
        return outcome;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { kind: 'failed', error: { code: 'effect_failed', message } };
      }
    },
  };
}
