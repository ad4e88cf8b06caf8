import { auditOneRun, auditRun, diffRuns, foldStored, snapshotOf, stateAt } from '@baton/engine';
import { ERRORS, type ErrorCode } from '@baton/protocol';
import { expect, it } from 'vitest';
import { bundleOf, bundleText, checked, openedIn } from '../bundles.ts';
import { quiet } from '../driver/forking.ts';
import { type Bench, CALLER, startTestEngine } from '../driver/test-engine.ts';
import { seededRandom } from '../durability/random.ts';
import { inProof, SEED } from '../proof.ts';
import { richTree } from '../rich-tree.ts';
import { mutate, pick, type Random } from './document-mutations.ts';

/**
 * Bundles that somebody has changed, in ways that nobody thought of. Each is refused as what it is, or it is opened and
 * everything about it can be read.
 *
 * BATON_FORGED_BUNDLES says how many, BATON_FUZZ_SEED which ones.
 */

const COUNT = Number(process.env.BATON_FORGED_BUNDLES ?? (inProof ? 4000 : 300));
/** Every so many of those that are in order are opened and read. */
const OPENED = inProof ? 1 : 6;
/** Every so many of those that were opened are replayed, compared, and exported and checked again. */
const LOOKED_INTO = inProof ? 25 : 4;

// biome-ignore lint/suspicious/noExplicitAny: bundles are taken apart here
type Draft = any;

function forgedFrom(valid: string, random: Random): { readonly bundle: unknown; readonly how: string } {
  const bundle: Draft = JSON.parse(valid);
  // Most forgers leave out the links, since their logs would not lead to them.
  if (random() < 0.8) for (const run of bundle.baton.runs) delete run.chain;
  const parts = [bundle, bundle.baton, bundle.events, bundle.baton.runs, bundle.baton.memory];
  const how: string[] = [];
  const times = pick(random, [1, 1, 1, 2, 3, 8]);
  for (let time = 0; time < times; time += 1) {
    const part = pick(random, parts);
    if (typeof part === 'object' && part !== null && Object.keys(part).length > 0)
      how.push(mutate(part, random));
  }
  return { bundle: JSON.parse(JSON.stringify(bundle)), how: how.join(', ') };
}

async function readEverything({ reads }: Bench, runId: string): Promise<void> {
  const { items } = await reads.runs({ tenant: CALLER.tenant, parentRunId: runId, limit: 20 });
  for (const id of [runId, ...items.map((child) => child.runId)]) {
    const stored = await reads.stored(CALLER.tenant, id);
    if (stored === undefined) throw new Error(`there is nothing of ${id}`);
    JSON.stringify(snapshotOf(foldStored(stored), stored.row, items));
    expect(await reads.events(CALLER.tenant, id, 0, 10_000)).toHaveLength(stored.row.head);
    for (const at of [0, 1, stored.row.head >> 1, stored.row.head]) {
      JSON.stringify(await stateAt(reads, { tenant: CALLER.tenant, runId: id }, at));
    }
  }
}

async function lookInto(host: Bench, runId: string): Promise<void> {
  const { reads } = host;
  const audit = await auditOneRun(reads, undefined, runId, CALLER.tenant);
  expect(audit?.findings).toEqual([]);
  await auditRun(reads, { tenant: CALLER.tenant, runId });
  const fork = await host.execute({ kind: 'fork-run', caller: CALLER, runId, body: { mode: 'replay' } });
  await quiet();
  if (fork.ok && fork.value.kind === 'fork') {
    await diffRuns(reads, CALLER.tenant, runId, fork.value.runId);
    await readEverything(host, fork.value.runId);
  } else expect(statusOf(fork.ok ? '' : fork.error.error)).toBeLessThan(500);
  expect(checked(await bundleOf(host, runId, { maxBytes: 8_000_000 }))).toMatchObject({ runId });
}

const statusOf = (code: string): number => ERRORS[code as ErrorCode]?.[0] ?? 500;

it(`${COUNT} forged bundles are refused or can be read (BATON_FUZZ_SEED=${SEED})`, {
  timeout: 1_800_000,
}, async () => {
  const random = seededRandom(SEED).next;
  const source = await startTestEngine();
  const valid = await bundleText(source, await richTree(source));
  let inOrder = 0;
  let opened = 0;
  for (let number = 0; number < COUNT; number += 1) {
    const { bundle, how } = forgedFrom(valid, random);
    try {
      const said = checked(bundle);
      if (typeof said === 'string' || inOrder++ % OPENED !== 0) continue;
      const host = await openedIn(bundle, { holdsForgeries: true });
      await readEverything(host, said.runId);
      if (opened++ % LOOKED_INTO === 0) await lookInto(host, said.runId);
      expect(host.fatal).toEqual([]);
      expect(host.logged.filter((line) => line.startsWith('a run was set aside'))).toEqual([]);
    } catch (problem) {
      throw new Error(`BATON_FUZZ_SEED=${SEED}, bundle ${number}: ${how}`, { cause: problem });
    }
  }
  // A suite that gets nowhere finds nothing.
  expect(inOrder).toBeGreaterThan(COUNT / 50);
  expect(opened).toBeGreaterThan(2);
});
