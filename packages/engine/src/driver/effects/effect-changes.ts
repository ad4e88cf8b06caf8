import { pendingEffects } from '../../kernel/effects.ts';
import { hasEffects } from '../../kernel/rest.ts';
import type { Run } from '../../kernel/run.ts';
import type { EffectRef, SliceEffects } from '../../ports/effect-claims.ts';

const NONE: ReadonlySet<string> = new Set();

/** The effects that were intended and settled between the stored states of runs and their present states. */
export function effectChanges(
  owner: string,
  runs: Iterable<{ readonly base: Run | undefined; readonly run: Run }>,
): SliceEffects | undefined {
  const begun: EffectRef[] = [];
  const settled: EffectRef[] = [];
  for (const { base, run } of runs) {
    // A replay performs effects only to compare outcomes. It does no harm if two hosts do so.
    if (run.fork?.mode === 'replay') continue;
    const { runId } = run;
    const before = base === undefined ? NONE : keysOf(base);
    const after = keysOf(run);
    for (const key of after) if (!before.has(key)) begun.push({ runId, key });
    for (const key of before) if (!after.has(key)) settled.push({ runId, key });
  }
  return begun.length + settled.length === 0 ? undefined : { owner, begun, settled };
}

function keysOf(run: Run): ReadonlySet<string> {
  return hasEffects({ run }) ? new Set(pendingEffects(run).map(({ key }) => key)) : NONE;
}
