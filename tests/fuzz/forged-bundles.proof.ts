import { auditOneRun, auditRun, diffRuns, foldStored, snapshotOf, stateAt } from '@baton/engine';
import { ERRORS, type ErrorCode } from '@baton/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { quiet } from '../driver/forking.ts';
import { type Bench, CALLER, startTestEngine } from '../driver/test-engine.ts';
import { seededRandom } from '../durability/random.ts';
import { startTestHost } from '../http/host.ts';
import { bundleOf, bundleText, importInto } from '../importing.ts';
import { SEED } from '../proof.ts';
import { richTree } from '../rich-tree.ts';
import { mutate, pick, type Random } from './document-mutations.ts';

/**
 * Bundles that somebody has changed, in ways that nobody thought of. Each is refused as what it is, or it is taken in
 * and everything about it can be read; neither the driver nor the host is troubled by any of them.
 *
 * BATON_FORGED_BUNDLES says how many, BATON_FUZZ_SEED which ones.
 */

const COUNT = Number(process.env.BATON_FORGED_BUNDLES ?? 10_000);
const BY_HTTP = Math.ceil(COUNT / 50);
/** Every so many of those that were taken in are replayed, compared, and exported and taken in again. */
const LOOKED_INTO = 25;
/** A fresh store now and then keeps the checks of whole stores short. */
const IN_A_STORE = 1000;

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
  const again = await importInto(host, await bundleOf(host, runId, { maxBytes: 8_000_000 }));
  expect(again).toMatchObject({ ok: true });
}

const statusOf = (code: string): number => ERRORS[code as ErrorCode]?.[0] ?? 500;

it(`${COUNT} forged bundles are refused or can be read (BATON_FUZZ_SEED=${SEED})`, {
  timeout: 1_800_000,
}, async () => {
  const random = seededRandom(SEED).next;
  const source = await startTestEngine();
  const valid = await bundleText(source, await richTree(source));
  let host = await startTestEngine({ holdsForgeries: true });
  const counts = { taken: 0, refused: 0 };
  for (let number = 0; number < COUNT; number += 1) {
    if (number > 0 && number % IN_A_STORE === 0) host = await startTestEngine({ holdsForgeries: true });
    const { bundle, how } = forgedFrom(valid, random);
    try {
      const reply = await importInto(host, bundle);
      counts[reply.ok ? 'taken' : 'refused'] += 1;
      if (!reply.ok) expect(statusOf(reply.error.error)).toBeLessThan(500);
      else {
        await readEverything(host, reply.value.runId);
        if (counts.taken % LOOKED_INTO === 0) await lookInto(host, reply.value.runId);
      }
      expect(host.fatal).toEqual([]);
      expect(host.logged.filter((line) => line.startsWith('a run was set aside'))).toEqual([]);
    } catch (problem) {
      throw new Error(`BATON_FUZZ_SEED=${SEED}, bundle ${number}: ${how}`, { cause: problem });
    }
  }
  process.stdout.write(`forged bundles: ${JSON.stringify(counts)}, seed ${SEED}\n`);
  // A suite that gets nowhere finds nothing.
  expect(counts.taken).toBeGreaterThan(COUNT / 50);
});

it(`${BY_HTTP} forged bundles do not trouble a host (BATON_FUZZ_SEED=${SEED})`, {
  timeout: 600_000,
}, async () => {
  const random = seededRandom(SEED + 1).next;
  const source = await startTestEngine();
  const valid = await bundleText(source, await richTree(source));
  const host = await startTestHost();
  onTestFinished(() => host.stop({ holdsForgeries: true }));
  for (let number = 0; number < BY_HTTP; number += 1) {
    const { bundle, how } = forgedFrom(valid, random);
    const raw = random() < 0.1 ? JSON.stringify(bundle).slice(0, -pick(random, [1, 10, 1000])) : undefined;
    const { status, text, body } = await host.post(
      '/v1/runs:import',
      bundle,
      raw === undefined ? {} : { raw },
    );
    const where = `BATON_FUZZ_SEED=${SEED}, bundle ${number} by HTTP: ${how}`;
    expect(status, `${where}: ${text.slice(0, 500)}`).toBeLessThan(500);
    if (status !== 201) continue;
    for (const path of ['', '/state', '/events/poll', '/debug-bundle', '/attestations']) {
      const read = await host.get(`/v1/runs/${body.runId}${path}`);
      expect(read.status, `${where}: ${path} ${read.text.slice(0, 500)}`).toBeLessThan(500);
    }
  }
  expect((await host.get('/readyz')).status).toBe(200);
});
