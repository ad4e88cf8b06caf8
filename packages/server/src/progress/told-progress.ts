import { type OpenVault, redactedChunks } from '@baton/engine';
import type { EffectContext, Effects } from '@baton/engine/ports';
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

/** Calls back after a time, unless the returned function is called before. */
export type Later = (ms: number, callback: () => void) => () => void;

const EVERY_MS = 500;
/** A part is told earlier when it has this length. */
const MOST_CHARACTERS = 16 * 1024;

/** Joins the parts of a text, so that the log has few events for many small parts. */
function coalesced(tell: (chunk: string, isLast: boolean) => void, later: Later) {
  let held = '';
  let cancel: (() => void) | undefined;
  let isTold = false;

  function flush(isLast: boolean): void {
    cancel?.();
    cancel = undefined;
    const chunk = held;
    held = '';
    isTold = true;
    tell(chunk, isLast);
  }

  return {
    add(chunk: string): void {
      held += chunk;
      if (held.length >= MOST_CHARACTERS) flush(false);
      else cancel ??= later(EVERY_MS, () => flush(false));
    },
    /** The text is complete: tells the rest, and that it is the last part. */
    end(): void {
      if (held !== '' || isTold) flush(true);
    },
  };
}
