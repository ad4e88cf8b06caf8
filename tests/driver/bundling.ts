import { debugBundle, foldStored, type RunRow, snapshotOf } from '@baton/engine';
import type { DebugBundle } from '@baton/protocol';
import { type Bench, CALLER } from './bench-top.ts';

/** Takes a tree out of one host and into another. */

export async function bundleOf(top: Bench, runId: string, tenant = CALLER.tenant): Promise<DebugBundle> {
  const stored = top.reads.stored(tenant, runId);
  if (stored === undefined) throw new Error(`there is no run ${runId}`);
  const text = await debugBundle(top.reads, {
    row: stored.row as RunRow,
    snapshot: snapshotOf(foldStored(stored), stored.row, []),
    host: { name: 'Baton', version: '0' },
    now: 0,
    maxBytes: 16 * 1024 * 1024,
  });
  return JSON.parse(text);
}

/** Answers with the id that the run has there. */
export async function importInto(top: Bench, bundle: DebugBundle, tenant = CALLER.tenant): Promise<string> {
  const caller = { ...CALLER, tenant };
  const reply = await top.execute({ kind: 'import-run', caller, bundle });
  if (!reply.ok || reply.value.kind !== 'imported') throw new Error(JSON.stringify(reply));
  return reply.value.runId;
}
