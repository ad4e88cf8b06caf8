import type { Performer } from '@baton/agents';
import type { Effect, EffectContext, EffectOutcome } from '@baton/engine/ports';
import { isJsonObject, type Json } from '@baton/protocol';

/** Effects of the node types that conformance suites drive. */
export const SEAM_PERFORMERS: Readonly<Record<string, Performer>> = {
  'conformance.side-effect': performNothing,
};

/**
 * Nothing is behind it: a suite counts how often it was performed, to see that a replay does not repeat it.
 * It can be told to take its time, and to bring a text in parts.
 */
async function performNothing(
  { key, request }: Effect,
  { signal, progress }: EffectContext,
): Promise<EffectOutcome> {
  const { chunks = [], delayMs = 0 } = isJsonObject(request) ? request : {};
  for (const chunk of Array.isArray(chunks) ? chunks : []) progress(String(chunk));
  if (typeof delayMs === 'number' && delayMs > 0) await passed(delayMs, signal);
  return { kind: 'done', outputs: { performed: true, idempotencyKey: key } satisfies Record<string, Json> };
}

/** Rejects at once when the signal is aborted. */
function passed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('aborted'));
    });
  });
}
