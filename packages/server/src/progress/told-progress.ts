import { type OpenVault, redactedChunks } from '@baton/engine';
import type { EffectContext, Effects } from '@baton/engine/ports';
import { coalesced, type Later } from './coalesced.ts';
import type { LiveChunks } from './live-chunks.ts';

interface ToldProgressOptions {
  readonly live: Pick<LiveChunks, 'publish'>;
  readonly vault: Pick<OpenVault, 'redactor'>;
  readonly later: Later;
}

/**
 * Tells the progress of effects: to readers at once, to the log a few times a second. Secrets are removed
 * first. The progress of a run with sensitive values, and of a replay, is not told.
 */
export function withToldProgress(effects: Effects, { live, vault, later }: ToldProgressOptions): Effects {
  return {
    async perform(effect, context) {
      if (effect.fresh || effect.confidential)
        return effects.perform(effect, { ...context, progress: () => undefined });
      const { runId, nodeId, tenant } = effect;
      const channel = String(effect.step);
      const log = coalesced((chunk, isLast) => context.progress(chunk, isLast), later);
      const reasoning = coalesced((chunk) => context.progress(chunk, false, 'reasoning'), later);
      const tell = (chunk: string) => {
        // Not a spread of the same fields: V8 gives such objects a hidden class each, which makes a token cost
        // four times as much here.
        live.publish({ runId, nodeId, channel, chunk, isLast: false });
        log.add(chunk);
      };
      // A secret may be set while the effect is under way.
      const chunks = redactedChunks(() => vault.redactor(tenant), tell);
      const thoughts = redactedChunks(() => vault.redactor(tenant), reasoning.add);
      let isTold = false;
      const progress: EffectContext['progress'] = (chunk, _isLast, of) => {
        if (of === 'reasoning') {
          thoughts.add(chunk);
          return;
        }
        isTold = true;
        chunks.add(chunk);
      };
      try {
        return await effects.perform(effect, { ...context, progress });
      } finally {
        thoughts.end();
        reasoning.end();
        chunks.end();
        log.end();
        if (isTold) live.publish({ runId, nodeId, channel, chunk: '', isLast: true });
      }
    },
  };
}
