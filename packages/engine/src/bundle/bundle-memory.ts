import { setImmediate } from 'node:timers/promises';
import type { BundledScope } from '@baton/protocol';
import { foldToRead } from '../fold.ts';
import { viewOfMemory } from '../kernel/fold/evolve-fork.ts';
import type { ScopeHistoryReads } from '../ports/reads/audit.ts';
import type { LogReads } from '../ports/reads/logs.ts';
import type { WantedRun } from './wanted-runs.ts';

/**
 * Every memory scope that a run of the tree can see, up to the version it can see, until `maxBytes` is used
 * up.
 */
export async function* bundledMemory(
  reads: Pick<LogReads, 'storedAt'> & ScopeHistoryReads,
  runs: readonly WantedRun[],
  maxBytes: number,
): AsyncGenerator<BundledScope | 'too-large'> {
  const wanted = new Map<string, number>();
  const tenant = runs[0]?.row.tenant ?? '';
  for (const { row, part, cut } of runs) {
    // A run that has not ended may see more memory by now than its events in the bundle tell of.
    const stored = part === 'tree' ? await reads.storedAt(row.tenant, row.runId, cut) : undefined;
    if (stored === undefined || stored.row.erasedAt !== undefined) continue;
    const run = foldToRead(stored);
    const layers = run.workspace ? [...viewOfMemory(run.memory), run.workspace] : viewOfMemory(run.memory);
    for (const { scope, version } of layers) wanted.set(scope, Math.max(version, wanted.get(scope) ?? 0));
    await setImmediate();
  }
  let room = maxBytes;
  for (const [scope, version] of wanted) {
    // The size is read first, because a scope that many runs have written may be very large.
    room -= await reads.scopeBytes(tenant, scope, version);
    const history = room < 0 ? undefined : await reads.scopeHistory(tenant, scope, version);
    if (room < 0) yield 'too-large';
    if (room < 0) return;
    if (history !== undefined) yield history;
    await setImmediate();
  }
}
