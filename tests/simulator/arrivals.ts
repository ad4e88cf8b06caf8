import { CONFORMANCE } from '@baton/conformance/engine';
import { debugBundle, foldStored, prepareImport, snapshotOf } from '@baton/engine';
import { BatonError, MAX_BUNDLED_RUNS } from '@baton/protocol';
import type { Dice } from '../fuzz/random-choice.ts';
import type { BookedRun } from './checks/booked-run.ts';
import { send } from './commands.ts';
import { AUDIT_KEY } from './simulated-host.ts';
import { tell, type World } from './world.ts';

/** Writes a tree as a bundle and imports it again, part by part. The parts stop when a host does not answer. */
export async function importTree(
  world: World,
  dice: Dice,
  source: BookedRun,
  caller: { readonly tenant: string; readonly principal: string },
): Promise<void> {
  const text = await bundleOf(world, source);
  if (text === undefined) return;
  const order = { text, caller, at: world.time.now(), knownKeys: [AUDIT_KEY], nodes: CONFORMANCE.nodes };
  try {
    const { slices, result } = prepareImport({ ...order, newId: () => newImportId(world) });
    sendParts(0);

    function sendParts(at: number): void {
      const part = slices[at];
      if (part === undefined) return;
      const isLast = at === slices.length - 1;
      const command = { kind: 'import-part' as const, caller, part: JSON.stringify(part) };
      send(world, dice, { ...command, ...(isLast && { result }) }, (reply) => {
        if (reply.ok) sendParts(at + 1);
      });
    }
  } catch (problem) {
    if (!(problem instanceof BatonError)) throw problem;
    tell(world, `the bundle of ${source.record.runId} is refused: ${problem.message}`);
  }
}

/** Absent when the run was purged or erased. */
async function bundleOf({ reads, time, plan }: World, source: BookedRun): Promise<string | undefined> {
  const view = await reads.treeView(source.tenant, source.record.runId, 0, MAX_BUNDLED_RUNS);
  if (view?.stored === undefined || view.row.erasedAt !== undefined) return undefined;
  const { row, stored, descendants } = view;
  let text = '';
  for await (const piece of debugBundle(reads, {
    row,
    descendants,
    snapshot: snapshotOf(foldStored(stored), row, []),
    host: { name: 'Baton', version: '0' },
    now: time.now(),
    maxBytes: 16 * 1024 * 1024,
    ...(plan.signs && { key: AUDIT_KEY }),
  })) {
    time.moved();
    text += piece;
  }
  return text;
}

/** Imported runs have ids of their own kind, so that they do not change the ids of others. */
function newImportId({ count }: World): string {
  count.imports += 1;
  return `00000000-0000-7000-9000-${String(count.imports).padStart(12, '0')}`;
}
