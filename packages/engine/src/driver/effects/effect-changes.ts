import type { PendingEffect } from '../../kernel/effect-key.ts';
import { pendingEffects } from '../../kernel/effects.ts';
import { hasEffects } from '../../kernel/rest.ts';
import type { Run } from '../../kernel/run.ts';
import type { BegunEffect, EffectRef, SliceEffects } from '../../ports/effect-claims.ts';

type Calls = ReadonlyMap<string, PendingEffect>;

const NONE: Calls = new Map();

/** Who performs the effects that a slice intends. */
export interface Intending {
  /** The name of this host as an owner of effects. */
  readonly owner: string;
  /** Whether effects of this kind are handed out. Absent: none are. */
  readonly isOffered?: ((kind: string) => boolean) | undefined;
}

/** The effects that were intended and settled between the stored states of runs and their present states. */
export function effectChanges(
  { owner, isOffered = () => false }: Intending,
  runs: Iterable<{ readonly base: Run | undefined; readonly run: Run }>,
): SliceEffects | undefined {
  const begun: BegunEffect[] = [];
  const settled: EffectRef[] = [];
  for (const { base, run } of runs) {
    // A replay performs effects only to compare outcomes. It does no harm if two hosts do so.
    if (run.fork?.mode === 'replay') continue;
    const { runId } = run;
    const before = base === undefined ? NONE : callsOf(base);
    const after = callsOf(run);
    for (const [key, { kind, tries, until }] of after) {
      const earlier = before.get(key);
      // Each try is offered, because the host that made the last one need not make the next one.
      if (isOffered(kind)) {
        if (earlier?.tries !== tries) begun.push({ runId, key, offer: { kind, at: until ?? run.at } });
      } else if (earlier === undefined) begun.push({ runId, key });
    }
    for (const key of before.keys()) if (!after.has(key)) settled.push({ runId, key });
  }
  return begun.length + settled.length === 0 ? undefined : { owner, begun, settled };
}

function callsOf(run: Run): Calls {
  return hasEffects({ run }) ? new Map(pendingEffects(run).map((effect) => [effect.key, effect])) : NONE;
}
